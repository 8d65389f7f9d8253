#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: over all functions of bash and libc that a session enters, hits, registers and results equal those of the kernel's uprobes
# full: hundreds of functions, most of the time of which the kernel's uprobes take
# once: it takes minutes, most of which the kernel's uprobes take
# timeout: 400
# needs: setarch
. "$UPROBES_TOP/tests/lib.sh"

ours=/sys/kernel/debug/uprobes
theirs=/sys/kernel/tracing
[ -e $theirs/uprobe_events ] || skip_all "this kernel has no uprobe_events"

# Both need a file system that the kernel's can probe; this is on tmpfs.
tmp=$(mktemp -d)
cp "$(command -v bash)" "$tmp/bash"
cp /lib/x86_64-linux-gnu/libc.so.6 "$tmp"
mkdir "$tmp/cwd"

# Of many kinds: words, patterns, numbers, functions, recursion, files, sorting by hand.
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

# run: the session, with the same addresses each time.
run() {
	(cd "$tmp/cwd" && setarch x86_64 -R env -i LC_ALL=C PATH=/bin LD_LIBRARY_PATH="$tmp" \
		"$tmp/bash" --norc --noprofile ../session)
}

# define DIRECTORY FILE: those that it takes; the others' names go to refused.DIRECTORY.
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

# functions FILE PREFIX: "NAME OFFSET" for each place where one begins.
functions() {
	uprobe list -v "$tmp/$1" 2>/dev/null | awk -v p="$2" '!($1 in seen) && $2 > 0 && $3 != "local" {
		seen[$1] = 1
		printf "%s_%x %s %s\n", p, NR, $1, $4 }'
}

# Twice, as the first one finds other files than those after it.
run >/dev/null 2>&1
run >"$tmp/plain" 2>&1
functions bash b | sed "s,\$, $tmp/bash," >"$tmp/functions"
functions libc.so.6 c | sed "s,\$, $tmp/libc.so.6," >>"$tmp/functions"
# Each line: EVENT OFFSET NAME FILE.

# Which of them are entered: the kernel's tell, so that nobody has to guess.
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
is "$same" yes "$(wc -l <"$tmp/functions") functions probed at once: the session as unprobed"
check "it enters many: $entered" test "$entered" -gt 200

# Returns where ours can be: they are refused on functions that look at their return
# address, and with the kernel's there the session ends without a word. And only of
# what returns: the counts of what is left by longjmp() or exit() differ.
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
diag "refused by the kernel's: $refused"
grep -vxFf "$tmp/refused.tracing" "$tmp/wanted" >"$tmp/events"
check "the kernel's take most" test "$refused" -lt $((entered / 4))

# trace DIRECTORY RESULT...: the records of so many sessions, and the counts of all.
trace() {
	local dir=$1 result

	shift
	echo 32768 >"$dir/buffer_size_kb"
	echo 1 >"$dir/events/uprobes/enable"
	for result; do
		: >"$dir/trace"
		run >"$tmp/probed" 2>&1
		cmp "$tmp/plain" "$tmp/probed" || diag "the session is another one with $dir, status $?: $(tail -n 3 "$tmp/probed")"
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

# Some it takes and never hits: the instruction is looked at when it is too late to
# refuse it. They begin with a prefix that it does not know: VEX, EVEX, lock, 66 2e.
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
diag "never hit by the kernel's: $(wc -l <"$tmp/never")"
is "$odd" "" "what only ours hit begins with a prefix that the kernel's does not know"

# steady FILE: what is the same every time: random numbers and process ids are not.
# Nor is the address that the kernel's have functions return to, in the last page.
# What is mapped after our area lies elsewhere: addresses below those of libc.
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

is "$(wc -l <"$tmp/ours")" "$(wc -l <"$tmp/theirs")" "as many records"
check "the same functions are entered and left, so often" diff "$tmp/counts.theirs" "$tmp/counts.ours"
steady theirs >"$tmp/steady.theirs"
steady ours >"$tmp/steady.ours"
values=$(tr ' ' '\n' <"$tmp/steady.theirs" | grep -c '=')
check "nearly all values are the same every time: $values of $(tr ' ' '\n' <"$tmp/theirs" | grep -c '=')" \
	test "$values" -gt $(($(tr ' ' '\n' <"$tmp/theirs" | grep -c '=') * 7 / 10))
diff "$tmp/steady.theirs" "$tmp/steady.ours" >"$tmp/diff"
is "$(head -n 20 "$tmp/diff")" "" "and ours are those, in the same order"
is "$lost" 0 "nothing is missed"
