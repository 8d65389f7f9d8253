#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: set_event_pid limits hits to threads and processes, and with event-fork to their children as well
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

tick=$(where tick)

# ticking [ARG...]: start a program that waits; sets $pid.  go: let it run to its end.
ticking() {
	mkfifo "$tmp/fifo"
	"$prog" -w "$@" <"$tmp/fifo" >/dev/null &
	pid=$!
	exec 4>"$tmp/fifo"
	rm "$tmp/fifo"
}
go() {
	echo >&4
	exec 4>&-
	wait $pid
}

ktap_plan 23
clear
define "p:e $tick n=%di"
enable
is "$(cat $dir/set_event_pid)" "" "no thread is listed at first"
ticking ticks 3 5
echo $pid >$dir/set_event_pid
is "$(cat $dir/set_event_pid)" "$pid" "the list can be read"
"$prog" ticks 1 5
is "$(lines | wc -l)" 0 "hits of other processes are not recorded"
go
is "$(lines | wc -l)" 15 "hits of a listed process are recorded, with threads that it starts later"
isnt "$(lines | sed -E 's/^ *traced-([0-9]+) .*/\1/' | sort -u | wc -l)" 1 "these threads have IDs of their own"
like "$(cat $dir/uprobe_profile)" ' e +20 ' "uprobe_profile counts all hits"

: >$dir/set_event_pid
is "$(cat $dir/set_event_pid)" "" "truncating clears the list"
: >$dir/trace
"$prog" ticks 1 5
is "$(lines | wc -l)" 5 "with an empty list all hits are recorded"

echo "7 5" >$dir/set_event_pid
echo 6 >>$dir/set_event_pid
is "$(cat $dir/set_event_pid | xargs)" "5 6 7" "appending adds IDs to the list"
for bad in x -1 1x 5000000 99999999999999999999; do
	check_fails "$bad is refused as an ID" sh -c "echo 8 $bad >>$dir/set_event_pid"
done
is "$(cat $dir/set_event_pid | xargs)" "5 6 7" "a refused write adds nothing to the list"

# The list of threads that are not traced.
: >$dir/set_event_pid
: >$dir/trace
ticking ticks 2 5
echo $pid >$dir/set_event_notrace_pid
go
is "$(lines | wc -l)" 0 "hits of threads in set_event_notrace_pid are not recorded"
"$prog" ticks 1 5
is "$(lines | wc -l)" 5 "hits of threads that are not in set_event_notrace_pid are recorded"
: >$dir/set_event_notrace_pid

# Children.
: >$dir/trace
(echo "$BASHPID" >$dir/set_event_pid; "$prog" ticks 1 5; true)
is "$(lines | wc -l)" 0 "without event-fork, hits of children are not recorded"
echo 1 >$dir/options/event-fork
(echo "$BASHPID" >$dir/set_event_pid; "$prog" ticks 1 5; (sh -c "$prog ticks 2 5; true"); true)
is "$(lines | wc -l)" 15 "with event-fork, hits of children and their children are recorded"
is "$(cat $dir/set_event_pid)" "" "a thread that exits leaves the list"
"$prog" ticks 1 5
is "$(lines | wc -l)" 15 "a list that has become empty still limits hits"
echo 0 >$dir/options/event-fork
: >$dir/set_event_pid
"$prog" ticks 1 5
is "$(lines | wc -l)" 20 "after the list is cleared all hits are recorded"
echo 1 >$dir/options/event-fork
echo $$ >$dir/set_event_pid
disable
clear
check "the module unloads while the list is not empty" rmmod uprobes_trace uprobes
load_module
