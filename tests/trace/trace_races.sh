#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: events can be defined, enabled, read, removed and cleared all at once, under load
# full: what it may find is rare
# cpus: 2
# once: the result depends on the module only, not on the kernel
# timeout: 180
#
# It lasts a second, or eight with FULL=1. LONG=300 in the environment makes it 300 seconds.
# shellcheck disable=SC2016,SC2034
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

tick=$(where tick)
text=$(where text)
# Without FULL=1, the program, which is busy all the time, leaves the processor to the test.
leave="nice -n 19"
[ -z "${FULL:-}" ] || leave=
ktap_plan 7
clear

# until_stop COMMAND: run COMMAND again and again. It may fail.
until_stop() {
	while ! [ -e "$tmp/stop" ]; do
		eval "$1"
	done >/dev/null 2>&1
}

$leave "$prog" ticks 4 1000000000000000 &
load=$!
until_stop 'define "p:a $tick n=%di"; enable uprobes/a; disable uprobes/a; define "-:a"' &
until_stop 'define "r:b $tick r=\$retval s=+0(%sp):string"; enable uprobes/b; disable uprobes/b; define "-:b"' &
until_stop 'define "p:a $text"; define "p:g/c $tick %ip"; define "-:g/"' &
until_stop 'enable; disable' &
until_stop ': >$dir/uprobe_events' &
until_stop 'cat $dir/uprobe_events $dir/uprobe_profile $dir/error_log $dir/events/*/*/* $dir/events/*/enable' &
until_stop 'drain $dir/trace_pipe' &
until_stop 'cat $dir/trace; : >$dir/trace' &
until_stop 'echo 64 >$dir/buffer_size_kb; echo 1408 >$dir/buffer_size_kb; echo 0 >$dir/tracing_on; echo 1 >$dir/tracing_on' &
seconds=1
[ -z "${FULL:-}" ] || seconds=8
sleep "${LONG:-$seconds}"
touch "$tmp/stop"
for job in $(jobs -p); do
	[ "$job" = $load ] || wait "$job"
done

check "the program is still running" kill -0 $load
disable
check "all events can be removed" sh -c ": >$dir/uprobe_events"
is "$(cat $dir/uprobe_events)" "" "no event is left"
is "$(ls $dir/events)" enable "no directory of an event is left"
define "p:after $tick n=%di"
enable
check "a new event is still recorded" in_time grep -q ': after: ' $dir/trace
disable
check "no breakpoint is left in the program's text" "$UPROBES_TOP/build/progs/textcmp" $load
clear
kill $load
check "the module unloads" rmmod uprobes_trace uprobes
load_module
