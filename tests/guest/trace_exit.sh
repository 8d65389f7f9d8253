#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the module unloads with events enabled and a program being hit, but not with a file open
# cpus: 2
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

tick=$(where tick)
ktap_plan 9
clear
define "p:a $tick n=%di"
define "p:b $tick s=+0(%sp):string"
define "r:c $tick"
enable
mkfifo "$tmp/in"
"$prog" -w ticks 4 1000000000000000 <"$tmp/in" >"$tmp/out" &
echo >"$tmp/in"
wait_until "the program has told its number" test -s "$tmp/out"
pid=$(cat "$tmp/out")
hit() { [ "$(lines | wc -l)" -gt 100 ]; }
check "the program is being hit" in_time hit

for file in trace_pipe trace uprobe_events events/uprobes/a/format events/uprobes/a/enable; do
	exec 3<$dir/$file
	check_fails "with $file open the module stays" rmmod uprobes
	exec 3<&-
done
check "without, it goes" rmmod uprobes
check_fails "its directory has gone with it" test -e $dir
check "the text is that of the file" "$UPROBES_TOP/build/progs/textcmp" "$pid"
kill "$pid"
load_module
