#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: where threads add values at the same time, processors get histograms of their own, and no value is lost
# full: it waits until the histograms have been looked at; jump_adds has one histogram
# once: jump_foreign covers the differences between kernels
# cpus: 2
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/contended.inc"
grep -qw rdpid /proc/cpuinfo || skip_all "this processor has no rdpid"
ktap_plan 17

# apart: check whether there are histograms for each processor, and all have values.
apart() {
	[[ $(say peek) == "2 pages, 2 counted, 0 wrong" ]]
}

# some_jumps: check whether a place has a jump.
some_jumps() {
	[ "$(jumps)" -gt 0 ]
}

# added LEAST WHAT ARG...: let "uprobe WHAT" add a value of each call of work() while threads call it at the same
# time, and check the result, whose least value is LEAST.
added() {
	local least=$1 what=$2 tracer pid

	shift 2
	replace_from 0
	total=0
	coproc program { exec "$prog"; }
	read -r pid <&"${program[0]}"
	uprobe "$what" --json -p "$pid" "$@" >"$tmp/out" 2>"$tmp/err" &
	tracer=$!
	wait_until "$what has begun" grep -q "Ctrl-C" "$tmp/err"
	say run 2 >/dev/null
	check "$what: the places have jumps" in_time some_jumps
	like "$(say peek)" "^0 pages" "$what: if that is switched off, there is one histogram for all"
	replace_from 1
	check "$what: histograms to which several processors add are replaced" in_time apart
	stopped "$what: while they changed"
	say run 3 >/dev/null
	sleep 2
	stopped "$what: with the new ones"
	kill $tracer
	wait $tracer
	is "$(sed 's/.*"hits":\([0-9]*\).*/\1/' "$tmp/out")" "$total" "$what: each call has a value"
	is "$(sed 's/.*"buckets":{//' "$tmp/out" | tr -d '"}' | tr ',' '\n' | awk -F: '{ n += $2 } END { print n }')" "$total" \
		"$what: each value is in a bucket"
	like "$(cat "$tmp/out")" "$least" "$what: the least or largest value is right"
	exec {program[1]}>&-
	wait "$pid"
}

jump 1
# Signal handlers call it with 14, and threads with 0 and more.
added '"(min|least)[a-z_]*":0[,}]' hist "$prog:work" %di:u64
added '"max_ns":[1-9]' lat "$prog:work"

# A jump that is used again has an empty histogram, with fewer values than before.
replace_from 0
coproc program { exec "$prog"; }
read -r pid <&"${program[0]}"
for least in 0 4294967295; do
	uprobe hist -p "$pid" "$prog:work" %di:u64 >"$tmp/out" 2>"$tmp/err" &
	tracer=$!
	wait_until "hist has begun" grep -q "Ctrl-C" "$tmp/err"
	replace_from $least
	say run 2 >/dev/null
	# It is looked at twice meanwhile.
	sleep 9
	pages=$(say peek)
	say stop >/dev/null
	kill $tracer
	wait $tracer
done
like "$pages" "^0 pages" "a histogram that begins anew is not taken for one with very many values"
exec {program[1]}>&-
wait "$pid"
