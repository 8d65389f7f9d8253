#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: what is defined through an open aggregate file counts, for whom it is limited to, and goes with it
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

tick=$(where tick)
text=$(where text)
clock=$UPROBES_TOP/build/progs/cli_clock

# put LINE: into the open file.
put() {
	printf '%s\n' "$1" >&5
}

# counted: NAME=HITS of each, and " missed" where there are any.
counted() {
	awk '{ printf "%s%s=%s%s", sep, $1, $2, $3 ? " missed" : ""; sep = " " }' <&5
}

ktap_plan 28
clear
exec 5<>$dir/aggregate
check "an entry is taken" put "p:e $tick"
check "a return, too" put "r:r $tick"
"$prog" ticks 1 3
is "$(counted)" "e=3 r=3" "calls are counted"
check_fails "it is too late for a limit" put "only pid $$"
check_fails "arguments have nowhere to go" put "p:a $tick n=%di"
check_fails "a removal has none" put "-:e"
printf '\006%.0s' {1..32} >"$tmp/no-code"
check_fails "what is no instruction is refused" put "p:bad $tmp/no-code:1"
check_fails "an address where there is no text is, too" put "p:bad /proc/$$/mem:0x1000"
check_fails "so is a counter that is far outside the file" put "p:bad $tick(0x7ffffffffffffffe)"
exec 5<&-

# This process, then one of its children; the later of two lines counts.
exec 5<>$dir/aggregate
mkfifo "$tmp/go"
"$prog" -w ticks 1 4 <"$tmp/go" >"$tmp/said" &
child=$!
exec 6>"$tmp/go"
wait_until "the program waits" test -s "$tmp/said"
check "only this process" put "only pid $$"
check "only another" put "only pid $child"
put "p:e $tick"
"$prog" ticks 1 3
is "$(counted)" "" "a program that was not asked for is not counted"
echo >&6
exec 6>&-
wait $child
is "$(counted)" "e=4" "the one that was is"
exec 5<&-

# It is the same process when it executes another program.
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

# A user is the effective one.
libc=$(ldd /bin/bash | awk '/libc.so/ { print $3 }')
exec 5<>$dir/aggregate
put "only uid 65534"
put "p:g $libc:0x$(readelf -Ws --dyn-syms "$libc" | awk '$8 ~ /^getppid@/ { print $2; exit }')"
# shellcheck disable=SC2016
perl -e 'getppid; $> = 65534; getppid for 1 .. 3'
is "$(counted)" "g=3" "tasks of a user are those that act as that user"
exec 5<&-

exec 5<>$dir/aggregate
check "only a thread" put "only tid $$"
check_fails "nobody's thread is refused" put "only tid 0"
put "p:e $text"
"$prog" all
is "$(counted)" "" "which does not come here"
exec 5<&-

# A return, in whatever way it is written.
exec 5<>$dir/aggregate
check "a return as the end of a place" put "p:one $tick%return"
check "a return behind a blank" put " r:two $tick"
"$prog" ticks 1 3
is "$(awk '{ printf "%s=%s,%s ", $1, $2, ($4 >= $5 && $5 > 0 && NF > 5) ? "times" : "no times" }' <&5)" \
	"one=3,times two=3,times " "both are returns, with their times"
exec 5<&-

# A process and what it starts, in the place of one process; what fails changes nothing.
exec 5<>$dir/aggregate
put "only pid 1"
check "only this process and what it starts" put "only tree $$"
check_fails "a kernel thread has nothing to count" put "only pid 2"
put "p:e $tick"
"$prog" ticks 1 3
is "$(counted)" "e=3" "what it has started counts"
exec 5<&-

# In one process's memory.
rm "$tmp/said"
"$clock" "$tmp/now" >"$tmp/said" &
process=$!
wait_until "the program waits" grep -q waits "$tmp/said"
maps=$(awk -v f="$clock" '$2 ~ /x/ && $6 == f { split($1, a, "-"); print a[1], $3; exit }' /proc/$process/maps)
main=$(where ask "$clock")
exec 5<>$dir/aggregate
ask=/proc/$process/mem:$(printf '0x%x' $((0x${maps% *} - 0x${maps#* } + ${main##*:})))
check_fails "a counter that is nowhere is refused there, too" put "p:bad $ask(0xfffffffffffffffe)"
check "an address in a process is taken" put "p:ask $ask"
: >"$tmp/now"
wait $process
is "$(counted)" "ask=7" "and counted there"
exec 5<&-
is "$(cat $dir/uprobe_events)" "" "the directory knows of none of it"
