#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a program that executes copies of its probed text lives; they are executed as the original would be, and breakpoints that are not ours are left alone
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"

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

# does WORD: what it says then, or that it has ended.
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
is $n 18 "there is a probe on each instruction"
run register 0-$last
is "$(does copy)" 18 "a copy has the breakpoints"
is "$(does run)" "$right 0" "it is executed as the original would be, and has none of them afterwards"
is "$(all_hits)" "0 0" "what is executed there is no hit"
is "$(does call), $(all_hits)" "$right, 18 0" "the original is probed"
is "$(does odd), $(does run)" "18, $right 0" "so at an odd address"
does copy >/dev/null
does copy >/dev/null
is "$(does fork), $(does run)" "child $((right % 251)), $right 0" "so in a child, and not for its parent"

# The program's own, where the module looks and finds nothing.
is "$(does own)" 100 "breakpoints of the program's own in code without a file trap once each"
is "$(does twin)" "203 1" "so in text of a file that is like what is probed"
is "$(does padding)" 1 "so among breakpoints"
does copy >/dev/null
is "$(does race)" "wrong 0" "copies that are made anew while they are executed"

# Text in another state than when the copy was made.
is "$(does copy)" 18 "another copy"
run unregister 0-5
is "$(does run)" "$right 0" "it is executed when some of the probes are gone"
does copy >/dev/null
run register 0-5
is "$(does run)" "$right 0" "or have come"
is "$(does copy)" 18 "another copy"
run unregister 0-$last
is "$(does run)" "$right 0" "or when all are gone"
exec 3>&-
wait $pid
is $? 0 "it ends well"
