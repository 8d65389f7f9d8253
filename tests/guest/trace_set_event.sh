#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: set_event enables events by their names, available_events lists them, dynamic_events defines them
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

enabled() { xargs <$dir/set_event; }

ktap_plan 17
place=$(where tick)
clear
for event in a/one a/two b/one b/b; do
	echo "p:$event $place" >>$dir/dynamic_events
done
is "$(xargs <$dir/available_events)" "a:one a:two b:one b:b" "all events are available"
is "$(cat $dir/dynamic_events)" "$(cat $dir/uprobe_events)" "dynamic_events lists them as uprobe_events does"
is "$(enabled)" "" "none is enabled"
echo a:one >$dir/set_event
is "$(enabled)" "a:one" "one is, by both of its names"
is "$(cat $dir/events/a/one/enable)" 1 "as its own file says"
"$prog" ticks 1 2
is "$(lines | wc -l)" 2 "and records"
echo b >>$dir/set_event
is "$(enabled)" "a:one b:one b:b" "a name alone is a group's or an event's"
echo "one !a:two" >>$dir/set_event
is "$(enabled)" "a:one b:one b:b" "words are taken one by one"
echo '!*:one' >>$dir/set_event
is "$(enabled)" "b:b" "an exclamation mark disables"
echo 'a:*' >$dir/set_event
is "$(enabled)" "a:one a:two" "opening with truncation disables what was enabled"
check_fails "a name that nothing has is refused" sh -c "echo c:one >>$dir/set_event" 2>/dev/null
check_fails "and so is an empty group's" sh -c "echo c: >>$dir/set_event" 2>/dev/null
echo : >>$dir/set_event
is "$(enabled)" "a:one a:two b:one b:b" "both left out mean all"
echo >$dir/set_event
is "$(enabled)" "" "nothing written disables all"

check "a definition is taken back by an exclamation mark" sh -c "echo '!p:a/one $place' >>$dir/dynamic_events"
is "$(xargs <$dir/available_events)" "a:two b:one b:b" "and is gone"
: >$dir/uprobe_events
echo nop >$dir/current_tracer
is "$(cat $dir/available_tracers) $(cat $dir/buffer_size_kb)" "nop 1408" "choosing the tracer gives the buffer its size"
clear
