#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: debuggers and the kernel's uprobes find text with jumps as if there were none
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
tracing=/sys/kernel/tracing
[ -e $tracing/uprobe_events ] || mount -t tracefs tracefs $tracing 2>/dev/null
[ -e $tracing/uprobe_events ] || skip_all "this kernel has no uprobe_events"
ktap_plan $((jumping + 17))

# text COMMAND...: copy 64 bytes of the text by dd.
text() {
	dd bs=1 status=none conv=notrunc "$@"
}

jump 1
jumps_begin
offset=$(offset_of pushes)
at=$((page + offset - $(offset_of jumps_page)))
text if="$prog" skip=$offset count=64 of="$tmp/file"
# shellcheck disable=SC2086
count_begin "$prog" $(offsets_of $entries $inside)
check "the program counts without a trap" hot $jumping
text if="/proc/$pid/mem" skip=$at count=64 of="$tmp/memory"
check "a debugger reads the original text" cmp "$tmp/file" "$tmp/memory"
check "the program counts without a trap again" hot $jumping
text if="$tmp/file" skip=1 count=3 of="/proc/$pid/mem" seek=$((at + 1))
like "$(say call 0)" ", 0 wrong\$" "a debugger writes the same text under a jump"
check "the program counts without a trap after that" hot $jumping

echo busy >&"${program[1]}"
for distance in 0 1 4; do
	echo "p:jumps/at$distance $prog:$((offset + distance))" >>$tracing/uprobe_events
	echo 1 >$tracing/events/jumps/at$distance/enable
done
echo idle >&"${program[1]}"
read -r times _ answer <&"${program[0]}"
like "$answer" "^0 wrong\$" "the kernel's uprobes come while the program runs"
called=$((called + times))
is "$(jumps)" 0 "with the kernel's uprobes there is no jump"
: >$tracing/trace
say call 1000 >/dev/null
called=$((called + 1000))
like "$answer" ", 0 wrong\$" "the results are right"
for distance in 0 1 4; do
	is "$(awk -v name=at$distance '$2 == name { print ($3 >= 1000) }' $tracing/uprobe_profile)" 1 \
		"the kernel counts the hits at distance $distance"
done
echo 0 >$tracing/events/jumps/enable
echo >$tracing/uprobe_events
say call 1000 >/dev/null
called=$((called + 1000))
like "$answer" ", 0 wrong\$" "the results are right after the kernel's uprobes"
check "the program counts without a trap when they are gone" hot $jumping
for name in $entries $inside; do
	[ $name = compares ] || is "$(count_of $name)" $called "$name: all hits are counted"
done
count_end

# why: print how the hits of the event are found.
why() {
	say call 100 >/dev/null
	sed 's/^[a-z]* [0-9]* 0x[0-9a-f]* //' $control/instrumentation
}

# why_is REASON: check that.
why_is() {
	[ "$(why)" = "$1" ]
}

# Their probe is on another function than ours.
echo "p:ends $prog:$(offset_of ends) x=%di:s64" >$control/uprobe_events
echo 'x == -1' >$control/events/uprobes/ends/filter
echo 1 >$control/events/uprobes/ends/enable
check "an event is filtered without a trap" in_time why_is "no trap"
echo "p:jumps/other $prog:$offset" >>$tracing/uprobe_events
echo 1 >$tracing/events/jumps/other/enable
is "$(why)" "the kernel's uprobes are in this process, or were a moment ago" "they are the reason for its traps"
echo 0 >$tracing/events/jumps/other/enable
check "it is filtered without a trap when they are gone" in_time why_is "no trap"
echo >$tracing/uprobe_events
echo 0 >$control/events/uprobes/ends/enable
check "the text is that of the file" "$progs/textcmp" "$pid"
