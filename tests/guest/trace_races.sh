#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: defining, enabling, reading, removing and clearing at once, under load, come out clean
# cpus: 2
# once: what decides here is the module, in the same way on all kernels
# timeout: 180
#
# Three seconds, or eight with FULL=1; LONG=300 in its environment: so many.
# shellcheck disable=SC2016,SC2034
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

tick=$(where tick)
text=$(where text)
ktap_plan 7
clear

# until_stop COMMAND: again and again; what fails here may fail.
until_stop() {
	while ! [ -e "$tmp/stop" ]; do
		eval "$1"
	done >/dev/null 2>&1
}

"$prog" ticks 4 1000000000000000 &
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
seconds=3
[ -z "${FULL:-}" ] || seconds=8
sleep "${LONG:-$seconds}"
touch "$tmp/stop"
for job in $(jobs -p); do
	[ "$job" = $load ] || wait "$job"
done

check "the program is still running" kill -0 $load
disable
check "all can be removed" sh -c ": >$dir/uprobe_events"
is "$(cat $dir/uprobe_events)" "" "nothing is defined"
is "$(ls $dir/events)" enable "no directory is left"
define "p:after $tick n=%di"
enable
check "events still come" in_time grep -q ': after: ' $dir/trace
disable
check "the text is that of the file" "$UPROBES_TOP/build/progs/textcmp" $load
clear
kill $load
check "the module goes" rmmod uprobes
load_module
