#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: filters keep the same hits as in tracefs, and filter files show what is wrong with a filter
# once: the language of filters is the same on all kernels
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

compared=
! has_tracefs || compared=1
no_peer="this kernel has no uprobe_events"

tick=$(where tick)
text=$(where text)
chain=$(where chain)
# Filters for the events n, whose argument is 0 to 19, then for t and s.
n_filters="n == 5
n != 5
n < 3
n <= 3 && n >= 2
n > 17 || n == 0
n & 4
n & 4 && !(n & 1)
!(n < 5 || n > 7)
n == 0x10 || n == 021
n < -1
n > -1
b == 3
b >= 1 && b != 2 || n == 19
((n == 1) || (n == 2)) && n != 1
common_pid > 0 && n == 7
common_pid == 0
comm == \"traced\" && n == 2
comm == \"other\"
comm ~ \"tra*\" && n == 3
__probe_ip > 0 && n == 4
c == 9
cpu >= 0 && n == 6"
t_filters="s == \"some text\"
s != \"some text\"
s ~ \"some*\"
s ~ \"*text\"
s ~ \"*me te*\"
s ~ \"text\"
s ~ \"s?me [a-z]ext\"
s == \"some tex\""
s_filters="name == \"global\" && i == -123456
name ~ \"*o*\" || i > 0
i < 0"

# set_up DIR: define an event for each filter, all at the same places.
set_up() {
	: >"$1/uprobe_events"
	awk -v tick="$tick" -v text="$text" -v chain="$chain" '
		FILENAME == ARGV[1] { print "p:n" FNR " " tick " n=%di:s64 b=%di:b2@1/8 c=%di:u8" }
		FILENAME == ARGV[2] { print "p:t" FNR " " text " s=+0(%di):string" }
		FILENAME == ARGV[3] { print "p:s" FNR " " chain " name=+0(+16(%di)):string i=+4(%di):s32" }' \
		"$tmp/n" "$tmp/t" "$tmp/s" >"$1/uprobe_events"
}

# record DIR: print what each event records in the same runs, and what its filter file shows.
record() {
	local event filter nr

	: >"$1/trace"
	for event in n t s; do
		nr=0
		while IFS= read -r filter; do
			nr=$((nr + 1))
			printf '%s\n' "$filter" >"$1/events/uprobes/$event$nr/filter" ||
				echo "refused: $filter"
		done <"$tmp/$event"
	done
	echo 1 >"$1/events/uprobes/enable"
	run_same "$prog" ticks 1 20
	run_same "$prog" all
	echo 0 >"$1/events/uprobes/enable"
	(cd "$1/events/uprobes" && grep . ./*/filter)
	lines "$1" | fields
}

# of EVENT: print this event's part of what record() has printed, from standard input.
of() {
	grep -E "^(\./)?$1[:/]"
}

ktap_plan 52
clear
printf '%s\n' "$n_filters" >"$tmp/n"
printf '%s\n' "$t_filters" >"$tmp/t"
printf '%s\n' "$s_filters" >"$tmp/s"
if [ -n "$compared" ]; then
	check "the events can be defined in tracefs" set_up $tracefs
else
	skip "the events can be defined in tracefs" "$no_peer"
fi
check "the events can be defined here" set_up $dir
is "$(cat $dir/events/uprobes/n1/filter)" none "a new event has no filter"
[ -z "$compared" ] || record $tracefs >"$tmp/theirs"
record $dir >"$tmp/ours"
is "$(grep -c '^refused: ' "$tmp/ours")" 0 "no filter is refused"
for event in n t s; do
	nr=0
	while IFS= read -r filter; do
		nr=$((nr + 1))
		if [ -n "$compared" ]; then
			is "$(of $event$nr <"$tmp/ours")" "$(of $event$nr <"$tmp/theirs")" \
				"the same hits as in tracefs pass: $filter"
		else
			skip "the same hits as in tracefs pass: $filter" "$no_peer"
		fi
	done <"$tmp/$event"
done
[ -z "$compared" ] || : >$tracefs/uprobe_events
: >$dir/uprobe_events
define "p:n $tick n=%di:s64"
define "p:t $text s=+0(%di):string"
define "p:s $chain name=+0(+16(%di)):string i=+4(%di):s32"

# A filter with handlers in the trap and in task context.
: >$dir/trace
echo 'n == 1' >$dir/events/uprobes/n/filter
enable
"$prog" ticks 4 1000
is "$(lines | wc -l)" 4 "one hit of each of four threads passes the filter"
like "$(head -n 3 $dir/trace)" 'entries-in-buffer/entries-written: 4/4' \
	"hits that the filter drops are never in the buffer"
like "$(cat $dir/uprobe_profile)" '^ +/.*traced n +4 ' "uprobe_profile counts the hits whose registers pass"
echo 'n == 1 || n == 2' >$dir/events/uprobes/n/filter
"$prog" ticks 4 1000
like "$(cat $dir/uprobe_profile)" '^ +/.*traced n +4004 ' "with a filter of another form, it counts all hits"
echo 'n == 1' >$dir/events/uprobes/n/filter

# After an error the event has no filter, and its file tells why.
check_fails "a wrong filter is refused" sh -c "echo 'n == 1 && nosuch > 3' >$dir/events/uprobes/n/filter"
like "$(cat $dir/events/uprobes/n/filter)" '^parse_error: Field not found' "the filter file says what is wrong"
is "$(sed -n 2p $dir/events/uprobes/n/filter)" "                 ^" "the filter file shows where it is wrong"
like "$(tail -n 3 $dir/error_log)" '^\[.*\] event filter parse error: error: Field not found' \
	"error_log says what is wrong"
is "$(tail -n 2 $dir/error_log)" "  Command: n == 1 && nosuch > 3
                            ^" "error_log shows where the filter is wrong"
if has_tracefs; then
	for filter in 'common_pid == 1 && nosuch > 3' 'nosuch==1' 'common_pid == 1 || nosuch'; do
		echo "$filter" >$dir/events/uprobes/n/filter
		echo "$filter" >$tracefs/events/sched/sched_switch/filter
		is "$(tail -n 1 $dir/error_log)" "$(tail -n 1 $tracefs/error_log)" \
			"tracefs has its caret at the same place: $filter"
	done 2>/dev/null
	echo 0 >$tracefs/events/sched/sched_switch/filter
else
	for _ in 1 2 3; do
		skip "tracefs has its caret at the same place" "this kernel has no uprobe_events"
	done
fi
echo 0 >$dir/events/uprobes/n/filter
is "$(cat $dir/events/uprobes/n/filter)" none "writing 0 removes the filter"

# A group's filter applies to those of its events that have the fields.
echo 'name == "global"' >$dir/events/uprobes/filter
is "$(cat $dir/events/uprobes/[nts]/filter)" "none
name == \"global\"
none" "a group's filter applies to the events with its fields"
check_fails "a group's filter is refused if no event has its fields" \
	sh -c "echo 'nosuch == 1' >$dir/events/uprobes/filter"
clear
