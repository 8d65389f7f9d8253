#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: reading trace consumes nothing, writing it clears the buffer, the size can change, old records stay readable
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

tick=$(where tick)
ktap_plan 20
is "$(cat $dir/buffer_size_kb)" "8 (expanded: 1408)" "the buffer is small until an event is enabled"
define "p:e $tick n=%di:u64"
exec 3<$dir/trace
read -r _ <&3
check "an event can be enabled while somebody reads trace" enable
is "$(cat $dir/buffer_size_kb)" "8 (expanded: 1408)" "the buffer stays small while somebody reads trace"
exec 3<&-
enable
is "$(cat $dir/buffer_size_kb)" 1408 "the buffer gets its size when an event is enabled without a reader"
"$prog" ticks 1 5
is "$(lines | wc -l)" 5 "trace shows the records"
is "$(lines | wc -l)" 5 "trace shows the records a second time"
like "$(cat $dir/trace)" "^# entries-in-buffer/entries-written: 5/5   #P:$(nproc)\$" \
	"the header of trace counts the records"
if ! has_tracefs; then
	skip "the header is the same as in tracefs" "this kernel has no uprobe_events"
elif grep -q preempt-lazy-depth $tracefs/trace; then
	skip "the header is the same as in tracefs" "this kernel has one more column in its header"
else
	is "$(grep '^#' $dir/trace | grep -v entries)" "$(grep '^#' $tracefs/trace | grep -v entries)" \
		"the header is the same as in tracefs"
fi
is "$(drain $dir/trace_pipe | wc -l)" 5 "trace_pipe gets the records after trace has shown them"
is "$(lines | wc -l)" 0 "trace_pipe consumes the records"
"$prog" ticks 1 3
echo >$dir/trace
is "$(lines | wc -l)" 0 "writing into trace clears the buffer"

echo 0 >$dir/tracing_on
is "$(cat $dir/tracing_on)" 0 "tracing_on is 0 after it was switched off"
"$prog" ticks 1 3
is "$(lines | wc -l)" 0 "with tracing off, no hit is recorded"
echo 1 >$dir/tracing_on
"$prog" ticks 1 3
is "$(lines | wc -l)" 3 "with tracing on again, hits are recorded"

# Records of removed events.
disable
: >$dir/uprobe_events
is "$(lines | fields | sed 's/(.*)//')" "e:  n=0
e:  n=1
e:  n=2" "records are readable after their event is removed"
define "p:e $tick other=%di:x8 s=\\\"x\""
enable
"$prog" ticks 1 1
is "$(lines | fields | sed 's/(.*)//')" "e:  n=0
e:  n=1
e:  n=2
e:  other=0x0 s=\"x\"" "old records are readable beside those of a new event with the same name"

# Resizing while hits are recorded, and bad sizes.
"$prog" ticks 2 20000 &
for kb in 4096 64 512 16 1408; do
	echo $kb >$dir/buffer_size_kb || break
	sleep 0.2
done
wait $!
is "$(cat $dir/buffer_size_kb)" 1408 "the size can be changed while hits are recorded"
check_fails "a size of 0 is refused" sh -c "echo 0 >$dir/buffer_size_kb"
check_fails "a size that is no number is refused" sh -c "echo many >$dir/buffer_size_kb"
check_fails "a size of more than all memory is refused" sh -c "echo 1000000000 >$dir/buffer_size_kb"
clear
