#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: somebody else's kprobes where signals are looked at come and go beside ours, in any order
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/probes.inc"

control=/sys/kernel/debug/uprobes
tracing=/sys/kernel/tracing
prog=$progs/preempted

[ -d $tracing/events ] || mount -t tracefs none $tracing
[ -e $tracing/kprobe_events ] || skip_all "this kernel has no kprobe_events"
ktap_plan 12

theirs_come() {
	echo "p:theirs get_signal" >$tracing/kprobe_events &&
		echo 1 >$tracing/events/kprobes/theirs/enable
}
theirs_go() {
	echo 0 >$tracing/events/kprobes/theirs/enable && echo >$tracing/kprobe_events
}
at_exit 'theirs_go 2>/dev/null'

# counts WHEN: as many hits as calls, in a storm of signals.
counts() {
	echo "p:copy $prog:0x$(symbol "$prog" copy_at)" >$control/uprobe_events
	echo 1 >$control/events/uprobes/enable
	"$prog" storm 500 >"$tmp/said" 2>"$tmp/sent"
	echo 0 >$control/events/uprobes/enable
	is "$(cat "$tmp/said") $(awk '{ print $3 }' $control/uprobe_profile)" \
		"right $(awk '{ print $2 }' "$tmp/sent")" "$1: each call is a hit"
	echo >$control/uprobe_events
}
theirs_hit() {
	[ "$(awk '$1 == "theirs" { print $2 }' $tracing/kprobe_profile)" -gt "$1" ]
}
# Signals, when ours has gone.
signals() {
	"$prog" storm 10 >"$tmp/said" 2>/dev/null && grep -qx right "$tmp/said"
}

check "theirs comes" theirs_come
counts "ours behind theirs"
check "theirs is hit, too" theirs_hit 0
check "ours goes first" rmmod uprobes
check "signals are delivered" signals
check "theirs goes" theirs_go
load_module
check "theirs comes again" theirs_come
counts "ours behind theirs, again"
check "theirs goes first" theirs_go
counts "ours alone"
check "ours goes" rmmod uprobes
check "signals are delivered then" signals
load_module
