#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a kernel call of the control directory fails, the error is right, nothing is left and a retry works
# once: the code that fails is the same on all kernels
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/inject.inc"

ktap_plan 30
clear
tick=$(where tick)
text=$(where text)
nothing() { :; }
has_not_changed() { [ "$(steady "$tmp/read")" = "$expected" ]; }
# steady FILE: its text without the time of reading.
steady() { grep -v "^now ts: " "$1"; }

# no_events: no event is defined, and none has a directory.
no_events() {
	[ -z "$(<$dir/uprobe_events)" ] || { echo "there are events: $(<$dir/uprobe_events)"; return 1; }
	[ ! -e $dir/events/uprobes ] || { echo "there is a directory"; return 1; }
}

# Definitions: one, several in one write, a bad one.
one() { echo "p:e $tick n=%di:u64 s=+0(%si):string l=+0(%si):string(%di) x=\\\"text\" c=\$comm a=@+8:u8[4]" >>$dir/uprobe_events; }
undo() { echo "-:uprobes/" >>$dir/uprobe_events; }
defined() { [ "$(cut -d' ' -f1 $dir/uprobe_events)" = p:uprobes/e ]; }
each_failure "a definition" one undo defined no_events
several() { printf '%s\n' "p:e $tick" "p:f $tick" "r:g $text +0(\$retval):string" >>$dir/uprobe_events; }
# Definitions before the line that fails stay, as in tracefs.
some_removed() { undo 2>/dev/null; no_events; }
three() { [ "$(wc -l <$dir/uprobe_events)" = 3 ]; }
each_failure "three definitions in one write" several undo three some_removed
bad() { ! echo "p:e $tick %nosuch" >>$dir/uprobe_events; }
# If the line is wrong, error_log has the line and the reason.
bad_told() {
	local told

	refused "Invalid argument" || return
	told=$(<$dir/error_log)
	: >$dir/error_log
	[[ $said != *"Invalid argument"* ]] || [[ $told == *"p:e $tick %nosuch"* ]] ||
		[ "$site" = errlog.tracer_errlog_add.kmemdup_nul ] || { echo "the log: $told"; return 1; }
}
: >$dir/error_log
each_failure "a bad definition" bad nothing bad_told no_events

# Enabling one event and several.
define "p:e $tick n=%di:u64"
define "r:g $text s=+0(\$retval):string"
on() { echo 1 >$dir/events/uprobes/e/enable; }
off() { echo 0 >$dir/events/uprobes/e/enable; }
hit_one() {
	: >$dir/trace
	"$prog" ticks 1 3
	[ "$(lines | wc -l)" = 3 ] || { echo "recorded: $(lines)"; return 1; }
}
is_off() { [ "$(<$dir/events/uprobes/e/enable)" = 0 ] && [ "$(<$dir/events/enable)" = 0 ]; }
each_failure "enabling an event" on off hit_one is_off
all_on() { echo 1 >$dir/events/enable; }
all_off() { echo 0 >$dir/events/enable; }
each_failure "enabling all events" all_on all_off hit_one is_off
chosen() { echo e >>$dir/set_event; }
none_chosen() { : >$dir/set_event; }
each_failure "enabling by name" chosen none_chosen hit_one is_off
define "p:memory/m $tick s=+0(%sp):u64"
memory_on() { echo 1 >$dir/events/memory/enable; }
memory_off() { echo 0 >$dir/events/memory/enable; }
each_failure "enabling an event whose argument is in memory" memory_on memory_off hit_one is_off
echo "-:memory/" >>$dir/uprobe_events

# Filters and limits.
filter() { echo 'n > 1 && comm != "x" || n == 7' >$dir/events/uprobes/e/filter; }
old_filter() { echo 'n > 0' >$dir/events/uprobes/e/filter; }
filters() { [ "$(<$dir/events/uprobes/e/filter)" = 'n > 1 && comm != "x" || n == 7' ]; }
# If there is no memory for a new filter, the old one stays in force.
has_old() {
	: >$dir/trace
	"$prog" ticks 1 3
	[ "$(<$dir/events/uprobes/e/filter) $(lines | wc -l)" = "n > 0 2" ] || {
		echo "the filter: $(<$dir/events/uprobes/e/filter); recorded: $(lines)"
		return 1
	}
}
old_filter
on
each_failure "replacing a filter" filter old_filter filters has_old
off
group_filter() { echo 'common_pid != 0' >$dir/events/uprobes/filter; }
old_filters() { echo 0 >$dir/events/uprobes/filter && old_filter; }
# both_have E G: the filters of the group's two events are E and G.
both_have() {
	[ "$(cat $dir/events/uprobes/[eg]/filter)" = "$1"$'\n'"$2" ] || {
		echo "the filters: $(cat $dir/events/uprobes/[eg]/filter)"
		return 1
	}
}
group_has() { both_have 'common_pid != 0' 'common_pid != 0'; }
group_has_old() { both_have 'n > 0' none; }
each_failure "the filter of a group" group_filter old_filters group_has group_has_old
echo 0 >$dir/events/uprobes/filter
define "p:single/e $tick"
single_filter() { echo 'common_pid != 0' >$dir/events/single/filter; }
no_single_filter() { echo 0 >$dir/events/single/filter; }
single_has() { [ "$(<$dir/events/single/e/filter)" = 'common_pid != 0' ]; }
single_has_none() { [ "$(<$dir/events/single/e/filter)" = none ]; }
each_failure "the filter of a group with one event" single_filter no_single_filter single_has single_has_none
echo "-:single/" >>$dir/uprobe_events
pids() { echo $$ 1 >$dir/set_event_pid; }
no_pids() { : >$dir/set_event_pid; }
has_pids() { grep -qx $$ $dir/set_event_pid; }
none_has() { no_pids; [ -z "$(<$dir/set_event_pid)" ]; }
each_failure "set_event_pid" pids no_pids has_pids none_has

# The buffer, and reading.
size() { echo 64 >$dir/buffer_size_kb; }
old_size() { echo 32 >$dir/buffer_size_kb; }
echo 32 >$dir/buffer_size_kb
is_64() { [ "$(<$dir/buffer_size_kb)" = 64 ]; }
sized() { old_size; on && hit_one; off; is_off; }
each_failure "resizing the buffer" size old_size is_64 sized
on
: >$dir/trace
"$prog" ticks 1 3
off
bad 2>/dev/null
is "$(lines | wc -l) $(grep -c nosuch $dir/error_log)" "3 1" "the trace has hits and error_log has an error to read"
all_there() { [ "$(grep -c ': (' "$tmp/read")" = 3 ]; }
for file in trace uprobe_events available_events uprobe_profile error_log trace_options set_event_pid README \
	    buffer_size_kb events/uprobes/e/format events/uprobes/e/filter per_cpu/cpu0/trace per_cpu/cpu0/stats; do
	reading() { cat $dir/$file >"$tmp/read"; }
	expected=$(steady $dir/$file)
	each_failure "reading $file" reading nothing has_not_changed is_off
done
from_pipe() { dd if=$dir/trace_pipe iflag=nonblock bs=64k status=none >"$tmp/read" 2>"$tmp/dd" ||
	! grep -v 'Resource temp' "$tmp/dd" >&2; }
again() {
	: >$dir/trace
	on
	"$prog" ticks 1 3
	off
	is_off
}
again
each_failure "reading trace_pipe" from_pipe nothing all_there again

# Session files and aggregate files.
session() {
	exec 5<>$dir/session && echo "p:s $tick n=%di:u64" >&5 &&
		echo "events/uprobes/s/filter n > 5" >&5
}
end_session() { exec 5<&-; }
session_works() { "$prog" ticks 1 8; [ "$(drain <&5 | wc -l)" = 2 ]; }
each_failure "a session" session end_session session_works end_session
# A return instruction, which an aggregate file can be given.
ret=$(objdump -d --no-show-raw-insn "$prog" | awk '/^[0-9a-f]+ </ { inside = $2 == "<tick>:" } inside && $2 == "ret" { sub(":", "", $1); print "0x" $1; exit }')
set_of() { exec 6<>$dir/aggregate && printf '%s\n' "p:s $tick stack=any" "r:t $text" "r:x $tick \\$ret" "p:v $tick %di" >&6; }
end_set() { exec 6<&-; }
set_works() { "$prog" ticks 1 8; [[ "$(cat <&6)" == "s 8 0"* ]]; }
each_failure "an aggregate file" set_of end_set set_works end_set
listed_failed
