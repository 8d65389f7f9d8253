#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: filters of events reject hits without a trap, and pass the same hits as with traps
# once: jump_foreign covers the differences between kernels
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
ktap_plan 19

# records: print the event and its argument of each record.
records() {
	awk '/x=/ { print $(NF - 2), $NF }' $control/trace
}

# how: print how the hits of events are found, with the number of places.
how() {
	sed 's/^[a-z]* [0-9]* 0x[0-9a-f]* //' $control/instrumentation | sort | uniq -c | sed 's/^ *//'
}

# no_traps N: check that N places need no trap.
no_traps() {
	say call 100 >/dev/null
	[ "$(grep -c " no trap\$" $control/instrumentation)" = "$1" ]
}

jump 1
for on in 0 1; do
	echo $on >$control/jump
	jumps_begin
	echo "p:pushes $prog:$(offset_of pushes) x=%di:u32
p:ends $prog:$(offset_of ends) x=%di:s64
p:carries $prog:$(offset_of carries_between) x=%ax:u16" >$control/uprobe_events
	echo 'x == 12' >$control/events/uprobes/pushes/filter
	echo 'x > 90 && x <= 103 && common_pid > 0' >$control/events/uprobes/ends/filter
	echo 'x & 0x400 && x < 0x410' >$control/events/uprobes/carries/filter
	echo 1 >$control/events/enable
	if [ $on = 1 ]; then
		check "no place needs a trap for hits that are rejected" in_time no_traps 3
	else
		say call 1000 >/dev/null
		is "$(how)" "3 counting without traps is switched off" "all places need traps"
	fi
	is "$(cat $control/jump)" $on "the file jump tells whether it is on"
	echo >$control/trace
	say call 1000 >/dev/null
	records >"$tmp/records.$on"
	grep -c . "$tmp/records.$on" | sed 's/^/# records: /'

	# Other filters, while the events are enabled.
	echo 'x == 18 || x == 24' >$control/events/uprobes/pushes/filter
	echo 'x == -1' >$control/events/uprobes/ends/filter
	echo 0 >$control/events/uprobes/carries/filter
	echo >$control/trace
	say call 100 >/dev/null
	records | sort | uniq -c >"$tmp/others.$on"
	[ $on = 0 ] || check "filters of any form need no trap" in_time no_traps 3
	if [ $on = 1 ]; then
		echo 'x == 0 && x == 1' >$control/events/uprobes/filter
		check "a group's filter needs no trap" in_time no_traps 3
		echo 0 >$control/jump
		is "$(jumps)" 0 "writing 0 to jump erases all jumps"
		is "$(how)" "3 counting without traps is switched off" "then all places need traps"
	fi
	like "$(say call 10)" ", 0 wrong\$" "all results were right"
	echo 0 >$control/events/enable
	echo >$control/uprobe_events
	check "the text is that of the file" "$progs/textcmp" "$pid"
	check "the program ends as it should" jumps_end
	prog=$tmp/jumps.1
	cp "$progs/jumps" "$prog"
done
is "$(cat "$tmp/records.1")" "$(cat "$tmp/records.0")" "the same records as with traps, in the same order"
is "$(cat "$tmp/others.1")" "$(cat "$tmp/others.0")" "the same ones after a change of the filters"
is "$(grep -c . "$tmp/records.0")" "$(awk 'BEGIN {
	for (i = 0; i < 6000; i++) {
		x = i % 1024
		n += i % 6 == 0 && x == 12
		n += i % 6 == 1 && x > 90 && x <= 103
		y = 3 * x
		n += i % 6 == 4 && y % 2048 >= 1024 && y < 1040
	}
	print n
}')" "they are those that the filters are true of"
check_fails "the file jump takes 0 and 1 only" sh -c "echo 2 >$control/jump"
is "$(cat $jump_params/jump)" N "the parameter has what the file had last"
