#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: while kprobes are switched off nothing can be probed, and the log says why
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"
ktap_plan 12

# refused SWITCH: it is to be written 0, and then 1.
refused() {
	local said

	echo 0 >"$1"
	dmesg -C
	check_fails "with 0 in $1 nothing is enabled" enable
	said=$(dmesg | grep -o 'uprobes: .*')
	is "$said" "uprobes: nothing can be probed while kprobes are switched off: write 1 to $1" "the log says so"
	is "$("$prog" ticks 1 3 | tail -n 1) $(lines)" "$plain " "a program runs unprobed"
	echo 1 >"$1"
	check "with 1 it is" enable
	is "$("$prog" ticks 1 3 | tail -n 1) $(lines | grep -c tick)" "$plain 3" "and probed"
	disable
	: >$dir/trace
}

is "$(dmesg | grep -c 'uprobes: this kernel has no')" 0 "this kernel has all functions that are hooked"
plain=$("$prog" ticks 1 3 | tail -n 1)
clear
define "p:tick $(where tick)"
# First: where something of the module's is permanent with ftrace, it cannot be switched off later.
if [ -e /proc/sys/kernel/ftrace_enabled ]; then
	refused /proc/sys/kernel/ftrace_enabled
else
	for _ in 1 2 3 4 5; do skip "there is such a switch" "this kernel has none"; done
fi
refused /sys/kernel/debug/kprobes/enabled
is "$(dmesg | grep -c 'went unseen')" 0 "no call has been missed"
