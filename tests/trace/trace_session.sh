#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: events that are defined in an open session file live until it is closed, separate from all others
# once: the result depends on the module only, not on the kernel
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

tick=$(where tick)
text=$(where text)
session=$dir/session

# read_fd FD: print what there is to read.
read_fd() {
	drain <&"$1"
}

ktap_plan 51
clear
exec 5<>$session 6<>$session
check "a session accepts a definition" sh -c "echo 'p:e $tick n=%di:u64' >&5"
"$prog" ticks 1 3
is "$(drain <&5 | fields | sed 's/(.*)//')" "e:  n=0
e:  n=1
e:  n=2" "the event is enabled at once, and the session reads its hits"
is "$(cat $dir/uprobe_events)$(lines)" "" "the directory has nothing of a session's event"
is "$(drain <&6)" "" "another session has nothing of it"

# The same names elsewhere.
check "another session may use the same name" sh -c "echo 'p:e $text s=+0(%di):string' >&6"
define "p:e $tick"
enable
"$prog" all
"$prog" ticks 1 2
is "$(drain <&5 | wc -l)" 2 "a session reads the hits of its own event only"
is "$(drain <&6 | fields | sed 's/(.*)//')" 'e:  s="some text"' "another session reads the hits of its own definition"
is "$(lines | wc -l)" 2 "the trace has the hits of the directory's event only"
disable

# Lines that write to the files of a session.
echo 'events/uprobes/e/filter n > 2' >&5
"$prog" ticks 1 5
is "$(drain <&5 | sed 's/.* n=//' | xargs)" "3 4" "a session's event can have a filter"
echo 'events/uprobes/e/enable 0' >&5
"$prog" ticks 1 5
is "$(drain <&5)" "" "a session's event can be disabled"
echo 'events/uprobes/e/enable 1
events/uprobes/e/filter 0
set_event_pid 1' >&5
"$prog" ticks 1 5
is "$(drain <&5)" "" "a session can be limited to processes"
for line in 'nosuch 1' 'events/uprobes/nosuch/enable 1' 'events/uprobes/e/nosuch 1' 'tracing_on 2' \
	    'buffer_size_kb' 'options/nosuch 1' 'events/uprobes/e/filter n =' 'x:e /bin/sh:0x0'; do
	check_fails "\"$line\" is refused" sh -c "echo '$line' >&5"
	is "$(grep '^  Command: ' $dir/error_log | tail -n 1)" "  Command: ${line#events/uprobes/e/filter }" \
		"error_log has the refused line: $line"
done
check_fails "a filter of 5,000 characters is refused" sh -c 'printf "events/uprobes/e/filter n == %05000d\\n" 1 >&5'
like "$(grep '^  Command: ' $dir/error_log | tail -n 1)" '^  Command: events/uprobes/e/filter n == 000' \
	"error_log has the line with the filter that is too long"

# Settings for which the directory has files.
exec 7<>$session
echo "p:e $tick n=%di" >&7
"$prog" ticks 1 3
like "$(cat /proc/$$/fdinfo/7)" "^probe: .* e +3 +0$" "fdinfo has the counts of a session"
is "$(drain <&7 | wc -l)" 3 "the session has as many records"
echo "tracing_on 0" >&7
"$prog" ticks 1 3
is "$(drain <&7)" "" "a session can be switched off"
check "a session can be switched on and its buffer resized" sh -c "echo 'tracing_on 1
buffer_size_kb 64' >&7"
"$prog" ticks 1 3
is "$(drain <&7 | wc -l)" 3 "the session goes on after resizing"
check "a session's event can have a rate limit" sh -c "echo 'events/uprobes/e/rate_limit 1' >&7"
"$prog" ticks 1 1000
like "$(drain <&7 | wc -l)" '^[0-9]{1,3}$' "the event has fewer records with a rate limit"
for line in 'buffer_size_kb 0' 'events/uprobes/e/rate_limit much' 'events/uprobes/e/enable 2'; do
	check_fails "\"$line\" is refused" sh -c "echo '$line' >&7"
done
exec 7<&-

# Removal, by the session itself and at its end.
echo '-:e' >&6
"$prog" all
is "$(drain <&6)" "" "a session's event can be removed while it is enabled"
exec 6<&-
check_fails "the module does not unload while a session is open" rmmod uprobes_trace
exec 5<&-
: >$dir/uprobe_events
check "the module unloads after the last session is closed" rmmod uprobes_trace uprobes
load_module

# Limits on processes. Others do not even get breakpoints, unless they share the memory of one that does.
exec 5<>$session
check "a session can be limited to one process" sh -c "echo 'only pid $$' >&5"
check_fails "a process that does not exist is refused" sh -c "echo 'only pid 4194303' >&5"
check "a session can be limited to tasks of a name" sh -c "echo 'only comm nobody' >&5"
check "a session can exclude a process" sh -c "echo 'except 1' >&5"
echo "p:w $(where getpid "$(ldd /bin/bash | awk '/libc.so/ { print $3 }')")" >&5
check_fails "a limit after the first definition is refused" sh -c "echo 'only pid $$' >&5"
sh -c 'exec 5<&-; "$0" ticks 1 1' "$prog"
bash -c 'kill -0 $$'
like "$(cat /proc/$$/fdinfo/5)" "^probe: .* w +0 +0$" "processes outside the limit have no hits"
exec 5<&- 6<>$session
echo "only comm nobody" >&6
echo "p:e $tick" >&6
"$prog" ticks 1 4
like "$(cat /proc/$$/fdinfo/6)" "^dropped: comm 4$" "fdinfo counts dropped hits with the reason"
is "$(drain <&6)" "" "dropped hits are not recorded"
exec 6<&-

# Kill a tool while its reader waits and a program is hit.
"$prog" ticks 2 1000000000000000 &
load=$!
bash -c "exec 5<>$session; echo 'p:e $tick n=%di
r:r $tick \$retval' >&5; cat <&5 >/dev/null" &
tool=$!
wait_until "the tool's probes are hit" grep -q '^probe: .* r  *[1-9]' /proc/$tool/fdinfo/5
kill -9 $tool $(pgrep -P $tool)
wait $tool 2>/dev/null
check "a killed tool leaves no breakpoint in the program" in_time "$UPROBES_TOP/build/progs/textcmp" $load
kill $load
