#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: set_event_pid limits hits to threads and processes, with event-fork to their children
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

tick=$(where tick)

# ticking [ARG...]: a program that waits; sets $pid.  go: lets it run to its end.
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
is "$(lines | wc -l)" 0 "others are not recorded"
go
is "$(lines | wc -l)" 15 "a listed process is, with threads that it starts later"
isnt "$(lines | sed -E 's/^ *traced-([0-9]+) .*/\1/' | sort -u | wc -l)" 1 "which have ids of their own"
like "$(cat $dir/uprobe_profile)" ' e +20 ' "all are counted"

: >$dir/set_event_pid
is "$(cat $dir/set_event_pid)" "" "truncating clears the list"
: >$dir/trace
"$prog" ticks 1 5
is "$(lines | wc -l)" 5 "and all are recorded again"

echo "7 5" >$dir/set_event_pid
echo 6 >>$dir/set_event_pid
is "$(cat $dir/set_event_pid | xargs)" "5 6 7" "appending adds"
for bad in x -1 1x 5000000 99999999999999999999; do
	check_fails "$bad is no id" sh -c "echo 8 $bad >>$dir/set_event_pid"
done
is "$(cat $dir/set_event_pid | xargs)" "5 6 7" "and adds nothing"

# The other list.
: >$dir/set_event_pid
: >$dir/trace
ticking ticks 2 5
echo $pid >$dir/set_event_notrace_pid
go
is "$(lines | wc -l)" 0 "set_event_notrace_pid leaves threads out"
"$prog" ticks 1 5
is "$(lines | wc -l)" 5 "and no others"
: >$dir/set_event_notrace_pid

# Children.
: >$dir/trace
(echo "$BASHPID" >$dir/set_event_pid; "$prog" ticks 1 5; true)
is "$(lines | wc -l)" 0 "children are not listed by themselves"
echo 1 >$dir/options/event-fork
(echo "$BASHPID" >$dir/set_event_pid; "$prog" ticks 1 5; (sh -c "$prog ticks 2 5; true"); true)
is "$(lines | wc -l)" 15 "with event-fork they are, and theirs"
is "$(cat $dir/set_event_pid)" "" "who exits leaves the list"
"$prog" ticks 1 5
is "$(lines | wc -l)" 15 "the list is still one"
echo 0 >$dir/options/event-fork
: >$dir/set_event_pid
"$prog" ticks 1 5
is "$(lines | wc -l)" 20 "until it is cleared"
echo 1 >$dir/options/event-fork
echo $$ >$dir/set_event_pid
disable
clear
check "the module goes with a list in place" rmmod uprobes
load_module
