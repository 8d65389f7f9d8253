#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: an ordinary user's program that stays in its SSOL area can still be stopped, traced and killed
# once: signals and signal_kprobed cover the differences between kernels
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
things="jump flags long sleep calls faults"
ktap_plan 13

dir=/sys/kernel/debug/uprobes
prog=$progs/unstoppable
unprobed=$("$prog" jump)
is "$(uniq -c <<<"$unprobed" | grep -c yes) $(grep -vc yes <<<"$unprobed")" "9 0" "unprobed, all signals are delivered"
for single_step in 0 1; do
	echo $single_step >/sys/module/uprobes/parameters/single_step
	echo "p:one $prog:0x$(symbol "$prog" target)" >$dir/uprobe_events
	echo 1 >$dir/events/uprobes/one/enable
	for thing in $things; do
		is "$("$prog" $thing)" "$unprobed" "$thing, single_step=$single_step: all signals are delivered"
	done
	echo 0 >$dir/events/uprobes/one/enable
	echo >$dir/uprobe_events
done
echo 0 >/sys/module/uprobes/parameters/single_step
