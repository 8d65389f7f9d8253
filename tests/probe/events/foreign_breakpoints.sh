#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if the program, a debugger and the kernel's uprobes set breakpoints beside ours, each owner gets its hits
# once: foreign_failed, foreign_forked and jump_foreign cover the differences between kernels
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"

ours=/sys/kernel/debug/uprobes
theirs=/sys/kernel/tracing
prog=$tmp/foreign
cp "$progs/foreign" "$prog"
one=$prog:0x$(symbol "$prog" one)
two=$prog:0x$(symbol "$prog" two)
plan=$((FULL ? 94 : 68))
ktap_plan $plan

start() {
	start_program ready "$prog"
	rounds=0
}

# another WHAT: one result: a round of the program has the right results, with its own traps.
another() {
	echo >&3
	rounds=$((rounds + 1))
	wait_for "^sum $((440 * rounds)), $((3 * rounds)) traps, 0 odd\$"
	is $? 0 "$1: the program's results and its own traps are right"
}

end() {
	check "$1: the text equals the file" "$progs/textcmp" $pid
	exec 3>&-
	wait $pid
	rm "$tmp/in"
}

hits() {
	awk -v e="$2" '$2 == e { print $3 + 0 }' "$1/uprobe_profile"
}

# back_in_place: wait until a breakpoint is in the text. If one owner removes it, the other owner inserts
# it again later.
back_in_place() {
	wait_until "the breakpoint is back in place" sh -c "'$progs/textcmp' $pid | grep -q 'memory 0xcc'"
}

# debug HITS [FUNCTION]: start a debugger with a breakpoint at two(), or at FUNCTION, for HITS hits.
debug() {
	: >"$tmp/debugger"
	"$progs/debugger" $pid "$(symbol_in $pid "$prog" "${2:-two}")" "$1" >>"$tmp/debugger" &
	debugger=$!
	wait_until "the debugger's breakpoint is set" grep -q set "$tmp/debugger"
}

# The program's own breakpoints.
start
echo "p:one $one" >$ours/uprobe_events
echo 1 >$ours/events/uprobes/one/enable
another "beside the program's breakpoints"
is "$(hits $ours one)" 10 "beside the program's breakpoints: our probe has all hits"

# A debugger's breakpoint at another address of the program.
debug 15
another "beside a debugger's breakpoint"
another "beside a debugger's breakpoint, second round"
wait $debugger
is "$(tail -n 1 "$tmp/debugger")" "15 hits" "beside our probe: the debugger has its hits"
is "$(hits $ours one)" 30 "beside a debugger's breakpoint: our probe has all hits"
debug 25
echo 0 >$ours/events/uprobes/one/enable
another "our probe is unregistered under a debugger"
another "our probe is unregistered under a debugger, second round"
another "our probe is unregistered under a debugger, third round"
wait $debugger
is "$(tail -n 1 "$tmp/debugger")" "25 hits" "our probe is unregistered: the debugger has its hits"
end "debugger"
echo >$ours/uprobe_events

# A debugger's breakpoint at the same address, in either order.
printf 'p:one %s\nr:back %s\n' "$one" "$one" >$ours/uprobe_events
for first in ours theirs; do
	what="a debugger at the same address, $first first"
	start
	before=$(hits $ours one)
	[ $first = theirs ] && debug 15 one
	echo 1 >$ours/events/uprobes/enable
	[ $first = ours ] && debug 15 one
	another "$what"
	another "$what, which detaches after 15 hits"
	wait $debugger
	is "$(tail -n 1 "$tmp/debugger")" "15 hits" "$what: the debugger has its hits"
	is "$(($(hits $ours one) - before))" 20 "$what: our probe has all hits"
	back_in_place
	another "$what, our probe alone"
	is "$(($(hits $ours one) - before))" 30 "$what: our probe, whose breakpoint is back, has all hits"
	debug 15 one
	another "$what, a second debugger"
	echo 0 >$ours/events/uprobes/enable
	another "$what, our probe is disabled"
	wait $debugger
	is "$(tail -n 1 "$tmp/debugger")" "15 hits" "$what: the second debugger has its hits"
	is "$(hits $ours back)" "$(hits $ours one)" "$what: each call's return is counted"
	end "$what"
done
echo >$ours/uprobe_events

if [ ! -e $theirs/uprobe_events ]; then
	for n in $(seq $((plan - ktap_count))); do
		skip "beside the kernel's, $n" "this kernel has no uprobe_events"
	done
	exit
fi

# in_each_order FUNCTION [PREFIX]: call FUNCTION for each order in which probes of both owners, $first and $second, are
# enabled and disabled, $gone and then $left.
in_each_order() {
	for first in $ours $theirs; do
		second=$theirs
		[ $first = $theirs ] && second=$ours
		# Without FULL=1, the one that came last goes first.
		for gone in ${FULL:+$first} $second; do
			left=$second
			[ $gone = $second ] && left=$first
			what="${2:-}${first##*/} first, ${gone##*/} gone first"
			start
			$1
			end "$what"
			echo >$first/uprobe_events
			echo >$second/uprobe_events
		done
	done
}

# The kernel's uprobe is at another address.
apart() {
	echo "p:one $one" >$first/uprobe_events
	echo "p:two $two" >$second/uprobe_events
	echo 1 >$first/events/uprobes/enable
	echo 1 >$second/events/uprobes/enable
	another "$what"
	echo 0 >$gone/events/uprobes/enable
	another "$what, one disabled"
	echo 0 >$left/events/uprobes/enable
	[ $gone = $first ] && want="10 20" || want="20 10"
	is "$(hits $first one) $(hits $second two)" "$want" "$what: each probe has its hits"
}
in_each_order apart

# The kernel's uprobe is at the same address.
together() {
	for dir in $first $second; do
		printf 'p:one %s\nr:back %s\n' "$one" "$one" >$dir/uprobe_events
		echo 1 >$dir/events/uprobes/enable
	done
	another "$what"
	is "$(hits $first one) $(hits $first back) $(hits $second one) $(hits $second back)" \
		"10 10 10 10" "$what: each probe has all hits"
	echo 0 >$gone/events/uprobes/enable
	back_in_place
	another "$what, one disabled"
	is "$(hits $gone one) $(hits $left one) $(hits $left back)" "10 20 20" \
		"$what: the remaining probe has all hits"
	echo 1 >$gone/events/uprobes/enable
	another "$what, enabled again"
	is "$(hits $gone one) $(hits $left one)" "20 30" "$what: enabled again, each probe has all hits"
	echo 0 >$left/events/uprobes/enable
	back_in_place
	another "$what, the other one disabled"
	is "$(hits $gone back) $(hits $left back)" "30 30" "$what: each probe has all returns"
	echo 0 >$gone/events/uprobes/enable
}
in_each_order together "the same address, "

# A process that starts when both probes are enabled already.
for dir in $ours $theirs; do
	printf 'p:one %s\nr:back %s\n' "$one" "$one" >$dir/uprobe_events
	echo 1 >$dir/events/uprobes/enable
done
start
another "both before the process"
is "$(hits $ours one) $(hits $ours back) $(hits $theirs one) $(hits $theirs back)" \
	"10 10 10 10" "both before the process: each probe has all hits"
echo 0 >$ours/events/uprobes/enable
another "both before the process, our probe disabled"
echo 0 >$theirs/events/uprobes/enable
is "$(hits $ours one) $(hits $theirs one)" "10 20" "both before the process: the kernel's uprobe has all hits"
end "both before the process"
echo >$ours/uprobe_events
echo >$theirs/uprobe_events

# A handler that may sleep.
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
client=/sys/module/uprobe_client/parameters
start
echo "p:one $one" >$theirs/uprobe_events
echo "0 path=$prog offset=0x$(symbol "$prog" one) flags=0" >$client/set
for order in "ours theirs" "theirs ours"; do
	for who in $order; do
		case $who in
		ours) echo "register 0" >$client/run ;;
		theirs) echo 1 >$theirs/events/uprobes/enable ;;
		esac
	done
	another "a handler that may sleep, $order"
	echo "unregister 0" >$client/run
	echo 0 >$theirs/events/uprobes/enable
done
is "$(awk '$1 == 0 { print $3, $4 }' $client/state) $(hits $theirs one)" "20 0 20" \
	"a handler that may sleep: each probe has all hits"
end "a handler that may sleep"
rmmod uprobe_client
echo >$theirs/uprobe_events
