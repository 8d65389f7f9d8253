#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: trace looks without taking, writing clears it, the size changes live, old events stay readable
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

tick=$(where tick)
ktap_plan 20
is "$(cat $dir/buffer_size_kb)" "8 (expanded: 1408)" "the buffer is small until it is needed"
define "p:e $tick n=%di:u64"
exec 3<$dir/trace
read -r _ <&3
check "an event is enabled while trace is being read" enable
is "$(cat $dir/buffer_size_kb)" "8 (expanded: 1408)" "the buffer stays small for so long"
exec 3<&-
enable
is "$(cat $dir/buffer_size_kb)" 1408 "then it gets its size"
"$prog" ticks 1 5
is "$(lines | wc -l)" 5 "trace shows what was recorded"
is "$(lines | wc -l)" 5 "again and again"
like "$(cat $dir/trace)" "^# entries-in-buffer/entries-written: 5/5   #P:$(nproc)\$" "its header counts"
if ! has_tracefs; then
	skip "the header is tracefs's" "this kernel has no uprobe_events"
elif grep -q preempt-lazy-depth $tracefs/trace; then
	skip "the header is tracefs's" "this kernel's has a column that others have not"
else
	is "$(grep '^#' $dir/trace | grep -v entries)" "$(grep '^#' $tracefs/trace | grep -v entries)" \
		"the header is tracefs's"
fi
is "$(drain $dir/trace_pipe | wc -l)" 5 "trace_pipe still gets them"
is "$(lines | wc -l)" 0 "then they are gone"
"$prog" ticks 1 3
echo >$dir/trace
is "$(lines | wc -l)" 0 "writing into trace clears it"

echo 0 >$dir/tracing_on
is "$(cat $dir/tracing_on)" 0 "tracing is off"
"$prog" ticks 1 3
is "$(lines | wc -l)" 0 "nothing is recorded"
echo 1 >$dir/tracing_on
"$prog" ticks 1 3
is "$(lines | wc -l)" 3 "until it is on again"

# Removed events.
disable
: >$dir/uprobe_events
is "$(lines | fields | sed 's/(.*)//')" "e:  n=0
e:  n=1
e:  n=2" "events are readable after their removal"
define "p:e $tick other=%di:x8 s=\\\"x\""
enable
"$prog" ticks 1 1
is "$(lines | fields | sed 's/(.*)//')" "e:  n=0
e:  n=1
e:  n=2
e:  other=0x0 s=\"x\"" "also beside new ones of the same name"

# Resizing while it is written to, and by nonsense.
"$prog" ticks 2 20000 &
for kb in 4096 64 512 16 1408; do
	echo $kb >$dir/buffer_size_kb || break
	sleep 0.2
done
wait $!
is "$(cat $dir/buffer_size_kb)" 1408 "the size changes while events come"
check_fails "no size is refused" sh -c "echo 0 >$dir/buffer_size_kb"
check_fails "nonsense is refused" sh -c "echo many >$dir/buffer_size_kb"
check_fails "more than there is memory is refused" sh -c "echo 1000000000 >$dir/buffer_size_kb"
clear
