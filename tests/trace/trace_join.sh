#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a second place joins an enabled event, in the directory and in a session; one that is refused changes nothing
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

tick=$(where tick)
text=$(where text)

# once(): call tick() twice and text() once.
once() {
	"$prog" ticks 1 2
	"$prog" all
}

ktap_plan 6
clear
define "p:e $tick"
enable
check "another place joins an enabled event" define "p:e $text"
once
is "$(lines | wc -l)" 3 "hits of the other place are recorded at once"
listed=$(cat $dir/uprobe_events)
check_fails "a place that cannot be probed does not join" define "p:e /proc/$$/mem:0x1000"
is "$(cat $dir/uprobe_events)" "$listed" "the place that is refused does not change the event"
clear

exec 5<>$dir/session
echo "p:e $tick" >&5
check "a place joins the event of a session" sh -c "echo 'p:e $text' >&5"
once
is "$(drain <&5 | wc -l)" 3 "hits of the place that joined in the session are recorded at once"
exec 5<&-
