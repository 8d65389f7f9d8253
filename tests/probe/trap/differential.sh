#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: on all functions of bash and libc that a session enters, the module and the kernel's uprobes record the same
# full: hundreds of functions take minutes, mostly with the kernel's uprobes
# once: it takes minutes, mostly with the kernel's uprobes
# timeout: 400
# needs: setarch
. "$UPROBES_TOP/tests/lib.sh"

ours=/sys/kernel/debug/uprobes
theirs=/sys/kernel/tracing
[ -e $theirs/uprobe_events ] || skip_all "this kernel has no uprobe_events"

# The kernel's uprobes do not take every file system: use tmpfs.
tmp=$(mktemp -d)
cp "$(command -v bash)" "$tmp/bash"
cp /lib/x86_64-linux-gnu/libc.so.6 "$tmp"
mkdir "$tmp/cwd"

# A session with words, patterns, numbers, functions, recursion, files, and a sort loop.
cat >"$tmp/session" <<'END'
set -u
fib() { local n=$1; if ((n < 2)); then r=$n; else fib $((n - 1)); local a=$r; fib $((n - 2)); r=$((a + r)); fi; }
fib 2; echo "fib $r"
declare -A seen; words=(pear apple banana apple)
for w in "${words[@]}"; do seen[$w]=$((${seen[$w]:-0} + 1)); done
for ((i = 0; i < ${#words[@]}; i++)); do
	for ((j = i + 1; j < ${#words[@]}; j++)); do
		[[ ${words[i]} > ${words[j]} ]] && { t=${words[i]}; words[i]=${words[j]}; words[j]=$t; }
	done
done
printf '%s:%05d %x\n' "${words[0]}" "${seen[apple]}" 48879
case ${words[3]} in b*) echo begins ;; *[aeiou]*) echo vowel ;; esac
[[ "key = value" =~ ^([a-z]+)\ =\ (.*)$ ]] && echo "${BASH_REMATCH[2]^^}"
echo "one two three" >file; while read -r a b c; do echo "$c ${b/w/W} ${a:1:2}"; done <file
for f in *.none /bi[n]; do test -e "$f" && echo "$f"; done
s=; for i in {1..4}; do s+=$((i * i % 7)),; done; echo "${s//3/three} ${#s}"
eval 'x=5'; unset x; echo "${x:-unset}"; printf -v y '%q' "a b"; echo "$y"; trap 'echo bye' EXIT
END

# run: run the session, at the same addresses each time.
run() {
	(cd "$tmp/cwd" && setarch x86_64 -R env -i LC_ALL=C PATH=/bin LD_LIBRARY_PATH="$tmp" \
		"$tmp/bash" --norc --noprofile ../session)
}

# define DIRECTORY FILE: define the events that the tracer accepts; write the others to refused.DIRECTORY.
define() {
	local line

	while read -r line; do
		printf '%s\n' "$line" >>"$1/uprobe_events" || echo "$line" >&3
	done <"$2" 2>/dev/null 3>"$tmp/refused.${1##*/}"
}

clear() {
	echo 0 >"$1/events/enable"
	: >"$1/uprobe_events"
	: >"$1/trace"
}

# functions FILE PREFIX: print "EVENT OFFSET NAME" for each address where a function begins.
functions() {
	uprobe list -v "$tmp/$1" 2>/dev/null | awk -v p="$2" '!($1 in seen) && $2 > 0 && $3 != "local" {
		seen[$1] = 1
		printf "%s_%x %s %s\n", p, NR, $1, $4 }'
}

# Run it twice: the first session finds other files than the later ones.
run >/dev/null 2>&1
run >"$tmp/plain" 2>&1
functions bash b | sed "s,\$, $tmp/bash," >"$tmp/functions"
functions libc.so.6 c | sed "s,\$, $tmp/libc.so.6," >>"$tmp/functions"
# Each line: EVENT OFFSET NAME FILE.

# Use the kernel's uprobes to find the functions that the session enters.
awk '{ print "p:" $1, $4 ":" $2 }' "$tmp/functions" >"$tmp/all"
define $theirs "$tmp/all"
echo 0 >$theirs/tracing_on
echo 1 >$theirs/events/uprobes/enable
run >"$tmp/probed" 2>&1
same=$(cmp "$tmp/plain" "$tmp/probed" && echo yes)
awk 'NR == FNR { hits[$2] = $3; next } hits[$1]' $theirs/uprobe_profile "$tmp/functions" >"$tmp/entered"
clear $theirs
echo 1 >$theirs/tracing_on
entered=$(wc -l <"$tmp/entered")

ktap_plan 9
is "$same" yes "$(wc -l <"$tmp/functions") functions are probed at once, and the session is the same as without probes"
check "the session enters more than 200 functions ($entered)" test "$entered" -gt 200

# Define return probes where the module accepts them. It refuses functions that look at their return
# address: with the kernel's return probes there, the session ends silently. Leave out functions that do
# not return normally: the counts differ after longjmp() or exit().
awk '{ print "r:" $1 "_r", $4 ":" $2, "$retval %sp", $3 }' "$tmp/entered" |
	grep -vE ' (_start|main|exit_shell|sh_exit|jump_to_top_level|throw_to_top_level|exit|_exit|_Exit|__libc_start_main|.*longjmp)[^ ]*$' |
	sed 's/ [^ ]*$//' >"$tmp/returns"
define $ours "$tmp/returns"
sed 's/^r:\([^ ]*\) .*/\1/' "$tmp/refused.${ours##*/}" >"$tmp/keep_address"
clear $ours
diag "functions that look at their return address: $(awk 'NR == FNR { keep[$1]; next } ($1 "_r") in keep { printf "%s ", $3 }' "$tmp/keep_address" "$tmp/entered")"
awk '{ print "p:" $1, $4 ":" $2, "%di %si %dx %cx %r8 %r9 %sp %ip" }' "$tmp/entered" >"$tmp/wanted"
grep -vwFf "$tmp/keep_address" "$tmp/returns" >>"$tmp/wanted"
diag "returns of libc: $(grep -c '^r:c_' "$tmp/wanted")"
define $theirs "$tmp/wanted"
refused=$(wc -l <"$tmp/refused.tracing")
diag "definitions that the kernel refuses: $refused"
grep -vxFf "$tmp/refused.tracing" "$tmp/wanted" >"$tmp/events"
check "the kernel accepts most definitions" test "$refused" -lt $((entered / 4))

# trace DIRECTORY RESULT...: trace a session for each RESULT; keep its records, and the counts of all.
trace() {
	local dir=$1 result

	shift
	echo 32768 >"$dir/buffer_size_kb"
	echo 1 >"$dir/events/uprobes/enable"
	for result; do
		: >"$dir/trace"
		run >"$tmp/probed" 2>&1
		cmp "$tmp/plain" "$tmp/probed" || diag "session differs with $dir, status $?: $(tail -n 3 "$tmp/probed")"
		grep -v '^#' "$dir/trace" |
			sed -E 's/^.{16,}-[0-9]+ +\[[0-9]+\] [^ ]+ +[0-9.]+: //' >"$tmp/$result"
	done
	echo 0 >"$dir/events/uprobes/enable"
	awk '{ print $2, $3 }' "$dir/uprobe_profile" | sort >"$tmp/$1.counts"
}

trace $theirs theirs again
clear $theirs
echo 1408 >$theirs/buffer_size_kb

define $ours "$tmp/events"
trace $ours ours ours2
lost=$(awk '{ lost += $4 } END { print lost + 0 }' $ours/uprobe_profile)
clear $ours

# The kernel accepts some probes and never hits them: it looks at the instruction when it is too late to
# refuse it. Those instructions begin with a prefix that it does not know: VEX, EVEX, lock, 66 2e.
awk 'NR == FNR { ours[$1] = $2; next } !$2 && ours[$1] { print $1 }' \
	"$tmp/ours.counts" "$tmp/theirs.counts" >"$tmp/never"
odd=$(while read -r name; do
	read -r _ at _ file < <(grep "^${name%_r} " "$tmp/entered")
	od -An -tx1 -j $((at)) -N 2 "$file"
done <"$tmp/never" | grep -vE '^ (c4|c5|62|f0|66 2e|3e)')
for result in theirs again ours; do
	awk 'NR == FNR { never[$1] = 1; next } { name = $1; sub(/:$/, "", name) } !(name in never)' \
		"$tmp/never" "$tmp/$result" >"$tmp/$result.new"
	[ ! -s "$tmp/never" ] || mv "$tmp/$result.new" "$tmp/$result"
done
for result in theirs ours; do
	awk '{ print $1 }' "$tmp/never" | grep -vwFf - "$tmp/$result.counts" >"$tmp/counts.$result"
done
diag "functions that the kernel never hits: $(wc -l <"$tmp/never")"
is "$odd" "" "each function that only the module hits begins with a prefix that the kernel does not know"

# steady FILE: print the values that are the same every time, which excludes random numbers and process
# ids. Leave out the kernel's return trampoline, in the last page, and addresses below libc: later mappings
# move because of our SSOL area.
steady() {
	paste -d '\n' "$tmp/theirs" "$tmp/again" "$tmp/$1" | awk '
		NR % 3 == 1 { n = split($0, a, " ") }
		NR % 3 == 2 { split($0, b, " ") }
		NR % 3 == 0 {
			split($0, c, " ")
			line = ""
			for (i = 1; i <= n; i++)
				line = line " " (a[i] == b[i] && a[i] !~ /ffffffffe000$|=0x7ffff7([0-9a-c]|d[0-9a-b])/ ? c[i] : "...")
			print line
		}'
}

is "$(wc -l <"$tmp/ours")" "$(wc -l <"$tmp/theirs")" "the module makes as many records as the kernel"
check "the module counts the same entries and returns as the kernel" diff "$tmp/counts.theirs" "$tmp/counts.ours"
steady theirs >"$tmp/steady.theirs"
steady ours >"$tmp/steady.ours"
values=$(tr ' ' '\n' <"$tmp/steady.theirs" | grep -c '=')
check "most values are the same every time: $values of $(tr ' ' '\n' <"$tmp/theirs" | grep -c '=')" \
	test "$values" -gt $(($(tr ' ' '\n' <"$tmp/theirs" | grep -c '=') * 7 / 10))
diff "$tmp/steady.theirs" "$tmp/steady.ours" >"$tmp/diff"
is "$(head -n 20 "$tmp/diff")" "" "the module records the same values in the same order"
is "$lost" 0 "no hit is missed"
