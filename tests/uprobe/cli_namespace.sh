#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: in a pid namespace, the helper takes and shows the process IDs of that namespace
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 90
# needs: unshare
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

t=$tmp/traced

# unshare starts this script again inside the namespace. It prints results, which the script outside
# checks.
if [ "${1-}" = inside ]; then
	tmp=$2 t=$2/traced
	# IDs inside are low, and differ from those outside.
	"$t" slow 100000 >/dev/null &
	pid=$!
	said() { uprobe "$@" >"$tmp/out" 2>"$tmp/err"; }
	shown() { grep -c -- "-$pid " "$tmp/out"; }
	said -M 3 -p $pid "p:$t:tick"
	echo "pid $(shown)"
	said -M 3 -L $pid "p:$t:tick"
	echo "tid $(shown)"
	said -M 3 "p:$t:tick" "common_pid == $pid"
	echo "common_pid $(shown)"
	said --json -M 3 "p:$t:tick" "pid == $pid"
	echo "json $(grep -c "\"pid\":$pid,\"tid\":$pid," "$tmp/out")"
	said -c "$t ticks 1 3" "p:$t:tick"
	echo "command $(wc -l <"$tmp/out")"
	said count -d 3 -p $pid "p:$t:tick"
	echo "count $(awk 'NR == 2 { print ($1 > 0) }' "$tmp/out")"
	# The control directory shows the IDs outside in its records.
	echo "p:e $(uprobe offset "$t" tick)" >$dir/uprobe_events
	echo "common_pid == $pid" >$dir/events/uprobes/e/filter
	echo 1 >$dir/events/uprobes/e/enable
	recorded() { grep -q ': e: ' $dir/trace; }
	in_time recorded && echo "filter 1"
	echo 0 >$dir/events/uprobes/e/filter
	echo $pid >$dir/set_event_pid
	echo "list $(cat $dir/set_event_pid)" | sed "s/ $pid\$/ 1/"
	echo >$dir/trace
	in_time recorded && echo "listed 1"
	echo 9999 2>/dev/null >$dir/set_event_pid || echo "nobody 1"
	kill $pid
	exit
fi

ktap_plan 12
timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) unshare -pf --mount-proc "$0" inside "$tmp" >"$tmp/results" 2>"$tmp/errors"
diag "$(cat "$tmp/errors" "$tmp/err")"
for result in pid:3 tid:3 common_pid:3 json:3 command:3 count:1 filter:1 list:1 listed:1 nobody:1; do
	is "$(awk -v name="${result%:*}" '$1 == name { print $2 }' "$tmp/results")" "${result#*:}" "inside: ${result%:*}"
done
echo >$dir/uprobe_events
: >$dir/set_event_pid

# Outside, the helper uses the IDs outside.
unshare -pf --mount-proc "$t" slow 100000 >/dev/null &
seen() { pid=$(pgrep -x traced); }
wait_until "the program runs" seen
uprobe -M 3 -p "$pid" "p:$t:tick" >"$tmp/out" 2>/dev/null
is "$(grep -c -- "-$pid " "$tmp/out")" 3 "outside: -p takes the process ID outside"
uprobe -M 3 "p:$t:tick" "pid == $pid" >"$tmp/out" 2>/dev/null
is "$(grep -c -- "-$pid " "$tmp/out")" 3 "outside: a filter takes the process ID outside"
kill "$pid"
