#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a second place joins an event that is enabled, in the directory and in a session, or leaves it as it was
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

tick=$(where tick)
text=$(where text)

# A run that calls tick() twice and text() once.
once() {
	"$prog" ticks 1 2
	"$prog" all
}

ktap_plan 6
clear
define "p:e $tick"
enable
check "another place joins it" define "p:e $text"
once
is "$(lines | wc -l)" 3 "and is recorded at once"
listed=$(cat $dir/uprobe_events)
check_fails "one that cannot be probed does not" define "p:e /proc/$$/mem:0x1000"
is "$(cat $dir/uprobe_events)" "$listed" "and the event is what it was"
clear

exec 5<>$dir/session
echo "p:e $tick" >&5
check "a place joins the event of a session" sh -c "echo 'p:e $text' >&5"
once
is "$(drain <&5 | wc -l)" 3 "and is recorded at once"
exec 5<&-
