#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the module unloads while events are enabled and a program is hit, but not while one of its files is open
# cpus: 2 with FULL=1
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

tick=$(where tick)
# Without FULL=1, the program, which is busy all the time, leaves the processor to the test.
leave="nice -n 19"
[ -z "${FULL:-}" ] || leave=
ktap_plan 9
clear
define "p:a $tick n=%di"
define "p:b $tick s=+0(%sp):string"
define "r:c $tick"
enable
mkfifo "$tmp/in"
$leave "$prog" -w ticks 4 1000000000000000 <"$tmp/in" >"$tmp/out" &
echo >"$tmp/in"
wait_until "the program has printed its PID" test -s "$tmp/out"
pid=$(cat "$tmp/out")
hit() { [ "$(lines | wc -l)" -gt 100 ]; }
check "the program is being hit" in_time hit

for file in trace_pipe trace uprobe_events events/uprobes/a/format events/uprobes/a/enable; do
	exec 3<$dir/$file
	check_fails "the module does not unload while $file is open" rmmod uprobes_trace
	exec 3<&-
done
check "the module unloads when no file is open" rmmod uprobes_trace uprobes
check_fails "unloading removes the directory" test -e $dir
check "no breakpoint is left in the program's text" "$UPROBES_TOP/build/progs/textcmp" "$pid"
kill "$pid"
load_module
