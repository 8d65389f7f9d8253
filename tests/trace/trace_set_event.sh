#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: set_event enables events by name, available_events lists them, dynamic_events defines them
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

enabled() { xargs <$dir/set_event; }

ktap_plan 17
place=$(where tick)
clear
for event in a/one a/two b/one b/b; do
	echo "p:$event $place" >>$dir/dynamic_events
done
is "$(xargs <$dir/available_events)" "a:one a:two b:one b:b" "available_events lists all events"
is "$(cat $dir/dynamic_events)" "$(cat $dir/uprobe_events)" "dynamic_events lists them as uprobe_events does"
is "$(enabled)" "" "no event is enabled at first"
echo a:one >$dir/set_event
is "$(enabled)" "a:one" "GROUP:EVENT enables one event"
is "$(cat $dir/events/a/one/enable)" 1 "the enable file of that event says so"
"$prog" ticks 1 2
is "$(lines | wc -l)" 2 "that event records hits"
echo b >>$dir/set_event
is "$(enabled)" "a:one b:one b:b" "a name alone means a group or an event"
echo "one !a:two" >>$dir/set_event
is "$(enabled)" "a:one b:one b:b" "several words in a line are handled one by one"
echo '!*:one' >>$dir/set_event
is "$(enabled)" "b:b" "an exclamation mark disables"
echo 'a:*' >$dir/set_event
is "$(enabled)" "a:one a:two" "opening with truncation disables what was enabled"
check_fails "a name that no event has is refused" sh -c "echo c:one >>$dir/set_event" 2>/dev/null
check_fails "a group that does not exist is refused" sh -c "echo c: >>$dir/set_event" 2>/dev/null
echo : >>$dir/set_event
is "$(enabled)" "a:one a:two b:one b:b" "a colon alone means all events"
echo >$dir/set_event
is "$(enabled)" "" "an empty line after truncation leaves all events disabled"

check "an exclamation mark removes a definition" sh -c "echo '!p:a/one $place' >>$dir/dynamic_events"
is "$(xargs <$dir/available_events)" "a:two b:one b:b" "the removed event is not listed"
: >$dir/uprobe_events
echo nop >$dir/current_tracer
is "$(cat $dir/available_tracers) $(cat $dir/buffer_size_kb)" "nop 1408" \
	"writing to current_tracer gives the buffer its size"
clear
