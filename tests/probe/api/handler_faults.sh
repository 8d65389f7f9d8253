#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a handler can read memory that a probed thread must provide, and can be killed while it waits for that
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

prog=$progs/served
[ -e /proc/sys/vm/unprivileged_userfaultfd ] || skip_all "this kernel has no userfaultfd()"
string=/sys/module/uprobe_string/parameters
ktap_plan 15

read_by_handler() {
	insmod "$UPROBES_SAMPLES/uprobe_string.ko" path="$prog" offset="0x$(symbol "$prog" take)"
}

# read_it HOW FIELD=VALUE...: also probe fill(), with these fields, and let the handler read the string. Three
# results.
read_it() {
	how=$1
	shift
	set_probe $n path="$prog" offset="0x$(symbol "$prog" fill)" "$@"
	run register $n
	"$prog" "brought in for round $n" >"$out"
	is "$? $(tail -n 1 "$out")" "0 took brought in for round $n" "$how: the program gets its string"
	is "$(cat $string/last) $(cat $string/faults)" "brought in for round $n 0" "$how: the handler gets the string"
	is "$(hits $n)" 1 "$how: the other thread's hit meanwhile is counted once"
	run unregister $n
	n=$((n + 1))
}
n=0
read_by_handler
read_it "a handler in the trap" flags=1
read_it "a handler that sleeps" action=sleep other=20
read_it "a return" returns=1

# Kill the program while the handler waits. The output of the last program must not end the wait.
: >"$out"
"$prog" >"$out" &
wait_for waits
kill -KILL $!
wait $! 2>/dev/null
is $? 137 "the program can be killed while the handler waits"
is "$(cat $string/faults)" 1 "the handler's read fails then"
check "unregistering does not wait for this handler" timeout $((20 * ${TEST_TIMEOUT_SCALE:-1})) rmmod uprobe_string

# Disable an event while its handler waits. Disabling must wait until the program ends.
dir=/sys/kernel/debug/uprobes
echo "p:served $(uprobe offset "$prog" take) s=+0(%di):string" >>$dir/uprobe_events
echo 1 >$dir/events/uprobes/served/enable
: >"$out"
"$prog" >"$out" &
served=$!
wait_for waits
echo 0 >$dir/events/uprobes/served/enable &
disabling=$!
sleeps() { [ "$(cut -d' ' -f3 "/proc/$1/stat")" = D ]; }
check "disabling an event waits for its handler" in_time sleeps $disabling
kill -KILL $served
check "disabling the event ends when the program is killed" in_time ended $disabling
wait $disabling
is "$? $(cat $dir/events/uprobes/served/enable)" "0 0" "disabling the event succeeds"
: >$dir/uprobe_events
