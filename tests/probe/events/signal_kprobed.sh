#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: another kprobe on get_signal() works beside the module's own, registered and unregistered in any order
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"

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

# counts WHEN: each call is a hit, in a storm of signals. One result.
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
# Are signals delivered when our kprobe has gone?
signals() {
	"$prog" storm 10 >"$tmp/said" 2>/dev/null && grep -qx right "$tmp/said"
}

check "the other kprobe is registered" theirs_come
counts "our kprobe registered second"
check "the other kprobe is hit, too" theirs_hit 0
check "the module unloads while the other kprobe is registered" rmmod uprobes_trace uprobes
check "signals are delivered with the other kprobe alone" signals
check "the other kprobe is unregistered after ours" theirs_go
load_module
check "the other kprobe is registered again" theirs_come
counts "our kprobe registered second, again"
check "the other kprobe is unregistered before ours" theirs_go
counts "our kprobe alone"
check "the module unloads after the other kprobe has gone" rmmod uprobes_trace uprobes
check "signals are delivered without any kprobe" signals
load_module
