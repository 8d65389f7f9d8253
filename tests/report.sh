# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shows the progress of tests/run, which sources this file, and keeps the results. Lanes are
# separate processes that call these functions at the same time. All state is in files below $work:
#
#   lock           serializes output and the counters
#   count          numbers of finished tests and of failed results: "DONE FAILED"
#   now.LANE       the test that a lane runs: "START GROUP NAME"
#   results        a line for each finished test, see report()
#   ktap/GROUP     the output of a group's tests, as ktap.awk prints it
#   failures, skips   lines for the end of the run

now_ms() {
	local now=${EPOCHREALTIME/[.,]/}

	echo "${now%???}"
}

# used_ms PID FIELD FIELD: print the sum of two fields of /proc/PID/stat in milliseconds. Fields 14
# and 15 have the processor time of the process, 16 and 17 that of its children that have ended.
used_ms() {
	local stat

	read -r stat <"/proc/$1/stat" || return
	# The name of the program, field 2, may contain blanks.
	read -ra stat <<<"${stat##*) }"
	echo $(((stat[$2 - 3] + stat[$3 - 3]) * 1000 / ticks))
}
ticks=$(getconf CLK_TCK)

# begin GROUP NAME: note that this lane begins the test.
begin() {
	since=$(now_ms)
	echo "$since $1 $2" >"$work/now.$lane"
}

# report GROUP NAME STATUS TROUBLE LIMIT [IDLE FORKS COST]: judge the output in $out, and add a line
# to results: MILLISECONDS GROUP NAME PASSED FAILED SKIPPED IDLE FORKS COST. If IDLE is "beside", it
# is not one of the planned tests, and is not counted as finished. COST is the processor time in
# milliseconds.
report() {
	local group=$1 name=$2 took=$(($(now_ms) - since)) tally passed failed skipped done bad word

	awk -v nr=1 -v name="$name" -v status="$3" -v trouble="$4" -v limit="$5" \
		-v tally="$out.tally" -v failures="$out.failures" -v skips="$out.skips" \
		-v allowed="${allowed:-}" -f "$top/tests/ktap.awk" "$out" >"$out.ktap"
	tally=$(<"$out.tally")
	read -r passed failed skipped <<<"$tally"
	word=ok
	[ "$failed" = 0 ] || word="not ok"
	[ "$passed$failed" != 00 ] || word=skip
	{
		flock 9
		read -r done bad <"$work/count"
		[ "$6" = beside ] || done=$((done + 1))
		bad=$((bad + failed))
		echo "$done $bad" >"$work/count"
		echo "$took $group $name $tally ${6:--} ${7:--} ${8:--}" >>"$work/results"
		sed 's/^/  /' "$out.ktap" >>"$work/ktap/$group"
		sed "/^\t/!s/^/$group /" "$out.failures" >>"$work/failures" 2>/dev/null
		sed "s/^/$group /" "$out.skips" >>"$work/skips" 2>/dev/null
		if [ -z "$terminal" ]; then
			printf '%-6s [%*d/%d] %s %s  %s  %d.%d s\n' "$word" ${#planned} "$done" "$planned" \
				"$group" "$name" "$(in_words)" $((took / 1000)) $((took % 1000 / 100))
		elif [ "$word" = "not ok" ]; then
			printf '\r\033[Knot ok %s %s\n' "$group" "$name"
		fi
		[ ! -s "$out.failures" ] || sed -n 's/^[^\t]/    &/p; s/^\t/        /p' "$out.failures"
	} 9>>"$work/lock"
	rm -f "$out".*
	: >"$out"
	: >"$work/now.$lane"
}

in_words() {
	local text="$passed passed"

	[ "$failed" = 0 ] || text="$text, $failed failed"
	[ "$skipped" = 0 ] || text="$text, $skipped skipped"
	echo "$text"
}

# tell TEXT: print a line that belongs to no test.
tell() {
	(
		flock 9
		printf '%s# %s\n' "${terminal:+$'\r\033[K'}" "$*"
	) 9>>"$work/lock"
}

# watch_lanes: each second, rewrite a line on the terminal that shows what the lanes do.
watch_lanes() {
	local done bad start group name file line columns

	columns=$(stty size 2>/dev/null | cut -d ' ' -f 2)
	while sleep 1; do
		line=
		for file in "$work"/now.*; do
			[ -e "$file" ] || continue
			read -r start group name <"$file" || continue
			line="$line${line:+, }$group $name $((($(now_ms) - start) / 1000)) s"
		done
		read -r done bad <"$work/count" || continue
		printf -v line '[%*d/%d] %s   failed: %d' ${#planned} "$done" "$planned" "$line" "$bad"
		(
			flock 9
			printf '\r\033[K%s' "${line:0:${columns:-80}-1}"
		) 9>>"$work/lock"
	done
}

# listed TITLE: print the lines of the input as diagnostics below TITLE; print nothing if there
# are none.
listed() {
	awk -v title="$1" 'NR == 1 { print "# " title } { print "#   " $0 }'
}

# keep_results: write all results to $results, as KTAP, and as a table with the slowest test first.
keep_results() {
	local group nr=0 groups=("$work"/ktap/*)

	[ -e "${groups[0]}" ] || return
	mkdir -p "$results" || return
	{
		echo "KTAP version 1"
		echo "1..${#groups[@]}"
		for group in "${groups[@]}"; do
			nr=$((nr + 1))
			echo "  KTAP version 1"
			# Each test was judged alone, as number 1. Number them within the group.
			awk '/^  (not )?ok [0-9]/ { n++; sub(/ok [0-9]+/, "ok " n) } { print }
				/^  not ok/ { bad = 1 } END { print "  1.." n + 0; exit bad }' "$group"
			echo "$([ $? = 0 ] || echo 'not ')ok $nr - ${group##*/}"
		done
	} >"$results/ktap"
	{
		printf '%8s  %-10s %-24s %6s %6s %7s %8s %6s %7s\n' \
			seconds group test passed failed skipped waited forks cost
		sort -k 1nr "$work/results" | awk '{
			printf "%8.1f  %-10s %-24s %6d %6d %7d %8s %6s %7s\n", $1 / 1000, $2, $3, $4, $5, $6,
			       $7 ~ /^[0-9]+$/ ? sprintf("%.1f", $7 / 100) : "-", $8, $9
		}'
	} >"$results/times"
}
