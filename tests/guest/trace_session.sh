#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: what is defined through an open session file lives as long as it is open, by itself
# once: what decides here is the module, in the same way on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

tick=$(where tick)
text=$(where text)
session=$dir/session

# read_fd FD: what there is.
read_fd() {
	drain <&"$1"
}

ktap_plan 49
clear
exec 5<>$session 6<>$session
check "a definition is taken" sh -c "echo 'p:e $tick n=%di:u64' >&5"
"$prog" ticks 1 3
is "$(drain <&5 | fields | sed 's/(.*)//')" "e:  n=0
e:  n=1
e:  n=2" "it is enabled at once, and reading gives its events"
is "$(cat $dir/uprobe_events)$(lines)" "" "the directory knows nothing of it"
is "$(drain <&6)" "" "nor does another session"

# The same names elsewhere.
check "another session may use the name" sh -c "echo 'p:e $text s=+0(%di):string' >&6"
define "p:e $tick"
enable
"$prog" all
"$prog" ticks 1 2
is "$(drain <&5 | wc -l)" 2 "each session has its own events"
is "$(drain <&6 | fields | sed 's/(.*)//')" 'e:  s="some text"' "of its own definition"
is "$(lines | wc -l)" 2 "so has the directory"
disable

# Files of the session.
echo 'events/uprobes/e/filter n > 2' >&5
"$prog" ticks 1 5
is "$(drain <&5 | sed 's/.* n=//' | xargs)" "3 4" "a session's event has a filter"
echo 'events/uprobes/e/enable 0' >&5
"$prog" ticks 1 5
is "$(drain <&5)" "" "can be disabled"
echo 'events/uprobes/e/enable 1
events/uprobes/e/filter 0
set_event_pid 1' >&5
"$prog" ticks 1 5
is "$(drain <&5)" "" "limited to processes"
for line in 'nosuch 1' 'events/uprobes/nosuch/enable 1' 'events/uprobes/e/nosuch 1' 'tracing_on 2' \
	    'buffer_size_kb' 'options/nosuch 1' 'events/uprobes/e/filter n =' 'x:e /bin/sh:0x0'; do
	check_fails "\"$line\" is refused" sh -c "echo '$line' >&5"
	is "$(grep '^  Command: ' $dir/error_log | tail -n 1)" "  Command: ${line#events/uprobes/e/filter }" "and error_log tells of it"
done

# What the directory has files for.
exec 7<>$session
echo "p:e $tick n=%di" >&7
"$prog" ticks 1 3
like "$(cat /proc/$$/fdinfo/7)" "^probe: .* e +3 +0$" "fdinfo has the counts of a session"
is "$(drain <&7 | wc -l)" 3 "of what it has recorded"
echo "tracing_on 0" >&7
"$prog" ticks 1 3
is "$(drain <&7)" "" "a session can be off"
check "its buffer is resized" sh -c "echo 'tracing_on 1
buffer_size_kb 64' >&7"
"$prog" ticks 1 3
is "$(drain <&7 | wc -l)" 3 "and goes on"
check "an event gets a rate" sh -c "echo 'events/uprobes/e/rate_limit 1' >&7"
"$prog" ticks 1 1000
like "$(drain <&7 | wc -l)" '^[0-9]{1,3}$' "and is recorded that often"
for line in 'buffer_size_kb 0' 'events/uprobes/e/rate_limit much' 'events/uprobes/e/enable 2'; do
	check_fails "\"$line\" is refused" sh -c "echo '$line' >&7"
done
exec 7<&-

# Removal, by the session itself and at its end.
echo '-:e' >&6
"$prog" all
is "$(drain <&6)" "" "a session's event can be removed while it is enabled"
exec 6<&-
check_fails "with a session the module stays" rmmod uprobes
exec 5<&-
: >$dir/uprobe_events
check "after the last one it goes: nothing is left" rmmod uprobes
load_module

# Whose hits: nobody else is even probed, who shares what is probed excepted.
exec 5<>$session
check "a session is for one process" sh -c "echo 'only pid $$' >&5"
check_fails "for one that there is" sh -c "echo 'only pid 4194303' >&5"
check "for tasks of a name" sh -c "echo 'only comm nobody' >&5"
check "without a process" sh -c "echo 'except 1' >&5"
echo "p:w $(where getpid "$(ldd /bin/bash | awk '/libc.so/ { print $3 }')")" >&5
check_fails "which is said before the first definition" sh -c "echo 'only pid $$' >&5"
sh -c 'exec 5<&-; "$0" ticks 1 1' "$prog"
bash -c 'kill -0 $$'
like "$(cat /proc/$$/fdinfo/5)" "^probe: .* w +0 +0$" "others are not probed"
exec 5<&- 6<>$session
echo "only comm nobody" >&6
echo "p:e $tick" >&6
"$prog" ticks 1 4
like "$(cat /proc/$$/fdinfo/6)" "^dropped: comm 4$" "hits that are dropped are told of, with the reason"
is "$(drain <&6)" "" "and are not recorded"
exec 6<&-

# Killed, with a reader that waits and a program that is hit.
"$prog" ticks 2 1000000000000000 &
load=$!
bash -c "exec 5<>$session; echo 'p:e $tick n=%di
r:r $tick \$retval' >&5; cat <&5 >/dev/null" &
tool=$!
wait_until "the tool's probes are hit" grep -q '^probe: .* r  *[1-9]' /proc/$tool/fdinfo/5
kill -9 $tool $(pgrep -P $tool)
wait $tool 2>/dev/null
check "a killed tool leaves the text as it was" in_time "$UPROBES_TOP/build/progs/textcmp" $load
kill $load
