#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a program may execute copies of its probed text: they run as the original, and its own breakpoints still trap
# once: the module's own code decides this, and it is the same on all kernels
# cpus: 2 with FULL=1
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

ktap_plan 17
cp "$progs/copied" "$tmp/copied"
mkfifo "$tmp/in"
begin() {
	: >"$out"
	"$tmp/copied" <"$tmp/in" >"$out" &
	pid=$!
	exec 3>"$tmp/in"
	until_is 1 lines
}

# does WORD: have the program do that, and print its answer, or that it has ended.
does() {
	does_lines=$(lines)
	echo "$1" >&3
	for _ in $(tries 300); do
		[ "$(lines)" = "$does_lines" ] || break
		[ -d "/proc/$pid/fd" ] || break
		sleep 0.1
	done
	look_out
	[ "$said_lines" != "$does_lines" ] && echo "$said_last" || echo "it has ended"
}

begin
right=$(does call)
set_instructions "$tmp/copied" first second third
is $n 18 "each instruction is probed"
run register 0-$last
is "$(does copy)" 18 "a copy of the text has all breakpoints"
is "$(does run)" "$right 0" "the copy runs as the original, and has no breakpoint afterwards"
is "$(all_hits)" "0 0" "running the copy is no hit"
is "$(does call), $(all_hits)" "$right, 18 0" "the original is still probed"
is "$(does odd), $(does run)" "18, $right 0" "a copy at an odd address runs as the original, too"
does copy >/dev/null
does copy >/dev/null
is "$(does fork), $(does run)" "child $((right % 251)), $right 0" "a copy runs in a child as in its parent"

# Breakpoints of the program's own: the module searches for a site and finds none.
is "$(does own)" 100 "each breakpoint of the program's own in code without a file traps once"
is "$(does twin)" "203 1" "a breakpoint of the program's own in file text like the probed one traps once"
is "$(does padding)" 1 "a breakpoint of the program's own among other breakpoints traps once"
does copy >/dev/null
is "$(does race)" "wrong 0" "copies that are made again while they run give the right results"

# Probes that change between copying and running.
is "$(does copy)" 18 "a copy has all breakpoints before some probes are unregistered"
run unregister 0-5
is "$(does run)" "$right 0" "the copy runs after some probes are unregistered"
does copy >/dev/null
run register 0-5
is "$(does run)" "$right 0" "a copy runs after more probes are registered"
is "$(does copy)" 18 "a copy has all breakpoints before all probes are unregistered"
run unregister 0-$last
is "$(does run)" "$right 0" "the copy runs after all probes are unregistered"
exec 3>&-
wait $pid
is $? 0 "the program ends with status 0"
