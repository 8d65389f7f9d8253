#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: while kprobes are switched off, no probe can be enabled, and the log says why
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
ktap_plan 12

# refused SWITCH: write 0 to SWITCH, and later 1. Five results.
refused() {
	local said

	echo 0 >"$1"
	dmesg -C
	check_fails "with 0 in $1, no event can be enabled" enable
	said=$(dmesg | grep -o 'uprobes: .*')
	is "$said" "uprobes: nothing can be probed while kprobes are switched off: write 1 to $1" \
		"with 0 in $1, the log says why"
	is "$("$prog" ticks 1 3 | tail -n 1) $(lines)" "$plain " "with 0 in $1, a program runs without probes"
	echo 1 >"$1"
	check "with 1 in $1, the event can be enabled" enable
	is "$("$prog" ticks 1 3 | tail -n 1) $(lines | grep -c tick)" "$plain 3" "with 1 in $1, the program is probed"
	disable
	: >$dir/trace
}

# has_no_effect: check whether the kernel has the switch only for the sake of its name (since 7.3).
has_no_effect() {
	{ echo 1 >/proc/sys/kernel/ftrace_enabled && echo 0 >/proc/sys/kernel/ftrace_enabled; } 2>/dev/null
	dmesg | grep -q 'ftrace_enabled file is deprecated and no longer disables ftrace'
}

is "$(dmesg | grep -c 'uprobes: this kernel has no')" 0 "this kernel has all functions that the module hooks"
plain=$("$prog" ticks 1 3 | tail -n 1)
clear
define "p:tick $(where tick)"
# This switch first: a permanent ftrace_ops of the module would keep ftrace from being switched off later.
if [ -e /proc/sys/kernel/ftrace_enabled ] && ! has_no_effect; then
	refused /proc/sys/kernel/ftrace_enabled
else
	for _ in 1 2 3 4 5; do skip "with 0 in ftrace_enabled" "this kernel has no such switch"; done
fi
refused /sys/kernel/debug/kprobes/enabled
is "$(dmesg | grep -c 'went unseen')" 0 "the log reports no missed call of a hooked function"
