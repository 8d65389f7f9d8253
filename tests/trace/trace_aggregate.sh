#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: definitions in an open aggregate file count hits, of the tasks they are limited to, until the file is closed
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

tick=$(where tick)
text=$(where text)
clock=$UPROBES_TOP/build/progs/cli_clock

# put LINE: write LINE into the open file.
put() {
	printf '%s\n' "$1" >&5
}

# counted: print NAME=HITS of each event, and " missed" if it has missed hits.
counted() {
	awk '{ printf "%s%s=%s%s", sep, $1, $2, $3 ? " missed" : ""; sep = " " }' <&5
}

ktap_plan 32
clear
exec 5<>$dir/aggregate
check "an entry probe is accepted" put "p:e $tick"
check "a return probe is accepted" put "r:r $tick"
"$prog" ticks 1 3
is "$(counted)" "e=3 r=3" "entries and returns are counted"
check_fails "a limit after the first definition is refused" put "only pid $$"
check_fails "a definition with three arguments is refused" put "p:a $tick n=%di m=%si o=%dx"
check_fails "a removal is refused" put "-:e"
printf '\006%.0s' {1..32} >"$tmp/no-code"
check_fails "a place without a valid instruction is refused" put "p:bad $tmp/no-code:1"
check_fails "an address without text is refused" put "p:bad /proc/$$/mem:0x1000"
check_fails "a reference counter far outside the file is refused" put "p:bad $tick(0x7ffffffffffffffe)"
exec 5<&-

# Limit it to this process, then to one of its children. The later of two lines counts.
exec 5<>$dir/aggregate
mkfifo "$tmp/go"
"$prog" -w ticks 1 4 <"$tmp/go" >"$tmp/said" &
child=$!
exec 6>"$tmp/go"
wait_until "the program waits" test -s "$tmp/said"
check "a limit to this process is accepted" put "only pid $$"
check "a limit to another process is accepted instead" put "only pid $child"
put "p:e $tick"
"$prog" ticks 1 3
is "$(counted)" "" "a process outside the limit is not counted"
echo >&6
exec 6>&-
wait $child
is "$(counted)" "e=4" "the process within the limit is counted"
exec 5<&-

# A process stays the same when it executes another program.
exec 5<>$dir/aggregate
sh -c 'read -r line && exec "$0" ticks 1 4' "$prog" <"$tmp/go" &
child=$!
exec 6>"$tmp/go"
put "only pid $child"
put "p:e $tick"
echo >&6
exec 6>&-
wait $child
is "$(counted)" "e=4" "a process that executes the program later is counted"
exec 5<&-

# "only uid" means the effective user.
libc=$(ldd /bin/bash | awk '/libc.so/ { print $3 }')
exec 5<>$dir/aggregate
put "only uid 65534"
put "p:g $libc:0x$(readelf -Ws --dyn-syms "$libc" | awk '$8 ~ /^getppid@/ { print $2; exit }')"
# shellcheck disable=SC2016
perl -e 'getppid; $> = 65534; getppid for 1 .. 3'
is "$(counted)" "g=3" "a limit to a user counts tasks with that effective user"
exec 5<&-

exec 5<>$dir/aggregate
check "a limit to a thread is accepted" put "only tid $$"
check_fails "a limit to a thread that cannot exist is refused" put "only tid 0"
put "p:e $text"
"$prog" all
is "$(counted)" "" "other threads are not counted"
exec 5<&-

# Two more ways to write a return probe.
exec 5<>$dir/aggregate
check "a return probe with %return behind the place is accepted" put "p:one $tick%return"
check "a return probe behind a blank is accepted" put " r:two $tick"
"$prog" ticks 1 3
is "$(awk '{ split($NF, last, ":"); printf "%s=%s,%s ", $1, $2,
	($4 >= $6 && $6 >= $5 && $5 > 0 && $6 >= last[1] && $6 <= 9 / 8 * last[1]) ? "times" : "no times" }' <&5)" \
	"one=3,times two=3,times " "both count returns, with their times"
exec 5<&-

# "only tree" replaces "only pid". A line that is refused changes nothing.
exec 5<>$dir/aggregate
put "only pid 1"
check "a limit to this process and its descendants is accepted" put "only tree $$"
check_fails "a limit to a kernel thread is refused" put "only pid 2"
put "p:e $tick"
"$prog" ticks 1 3
is "$(counted)" "e=3" "a child of this process is counted"
exec 5<&-

# An address in the memory of one process.
rm "$tmp/said"
"$clock" "$tmp/now" >"$tmp/said" &
process=$!
wait_until "the program waits" grep -q waits "$tmp/said"
maps=$(awk -v f="$clock" '$2 ~ /x/ && $6 == f { split($1, a, "-"); print a[1], $3; exit }' /proc/$process/maps)
main=$(where ask "$clock")
exec 5<>$dir/aggregate
ask=/proc/$process/mem:$(printf '0x%x' $((0x${maps% *} - 0x${maps#* } + ${main##*:})))
check_fails "an address in a process is refused with a bad reference counter" put "p:bad $ask(0xfffffffffffffffe)"
check "an address in a process is accepted" put "p:ask $ask"
: >"$tmp/now"
wait $process
is "$(counted)" "ask=7" "calls at an address in a process are counted"
exec 5<&-
is "$(cat $dir/uprobe_events)" "" "uprobe_events lists none of these definitions"

# Hits are counted by their stacks: those of two processes are two.
exec 5<>$dir/aggregate
echo "p:k $(where tick) stack=any" >&5
"$prog" ticks 1 5
"$prog" ticks 1 3
cat <&5 >"$tmp/stacks"
is "$(head -n 1 "$tmp/stacks")" "k 8 0" "with stack=any, all hits are counted"
is "$(awk '$1 == "stack" { n += $3; if (!seen[$4]++) processes++ } END { print n, processes }' "$tmp/stacks")" "8 2" \
	"and those of each stack, of two processes"
is "$(awk '$1 == "stack" && $5 !~ /^[0-9a-f]+$/' "$tmp/stacks")" "" "a stack has addresses"
exec 5<&-
exec 5<>$dir/aggregate
check_fails "another word is refused" sh -c 'echo "p:k '"$(where tick)"' stack=some" >&5' 2>/dev/null
exec 5<&-
