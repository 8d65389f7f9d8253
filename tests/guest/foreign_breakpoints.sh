#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: breakpoints of the program, of a debugger and of the kernel's uprobes beside ours: each gets its own
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/probes.inc"

ours=/sys/kernel/debug/uprobes
theirs=/sys/kernel/tracing
prog=$tmp/foreign
cp "$progs/foreign" "$prog"
one=$prog:0x$(symbol "$prog" one)
two=$prog:0x$(symbol "$prog" two)
ktap_plan 36

start() {
	mkfifo "$tmp/in"
	"$prog" <"$tmp/in" >"$out" &
	pid=$!
	exec 3>"$tmp/in"
	wait_for ready
	rounds=0
}

# another WHAT: a round of the program, in which all is as it should be
another() {
	echo >&3
	rounds=$((rounds + 1))
	wait_for "^sum $((440 * rounds)), $((3 * rounds)) traps, 0 odd\$"
	is $? 0 "$1: the program goes on, with its own traps"
}

end() {
	check "$1: the text is that of the file" "$progs/textcmp" $pid
	exec 3>&-
	wait $pid
	rm "$tmp/in"
}

hits() {
	awk -v e="$2" '$2 == e { print $3 + 0 }' "$1/uprobe_profile"
}

# debug HITS: a debugger with a breakpoint at two()
debug() {
	: >"$tmp/debugger"
	"$progs/debugger" $pid "$(symbol_in $pid "$prog" two)" "$1" >>"$tmp/debugger" &
	debugger=$!
	until grep -q set "$tmp/debugger"; do sleep 0.1; done
}

# The program's own.
start
echo "p:one $one" >$ours/uprobe_events
echo 1 >$ours/events/uprobes/one/enable
another "beside the program's"
is "$(hits $ours one)" 10 "our hits"

# A debugger's, elsewhere and here.
debug 15
another "beside a debugger's"
another "again"
wait $debugger
is "$(tail -n 1 "$tmp/debugger")" "15 hits" "the debugger's hits"
is "$(hits $ours one)" 30 "our hits"
debug 25
errno=$("$progs/insmod_errno" "$UPROBES_SAMPLES/uretprobe_sum.ko" pid=$pid \
	vaddr="$(symbol_in $pid "$prog" two)")
like "$errno" '^(EEXIST|EBUSY)$' "where a debugger's is, ours is refused"
echo 0 >$ours/events/uprobes/one/enable
another "ours went under the debugger"
another "again"
another "and again"
wait $debugger
is "$(tail -n 1 "$tmp/debugger")" "25 hits" "the debugger's hits"
end "debugger"
echo >$ours/uprobe_events

if [ ! -e $theirs/uprobe_events ]; then
	for n in $(seq $((36 - ktap_count))); do
		skip "beside the kernel's, $n" "this kernel has no uprobe_events"
	done
	exit
fi

# The kernel's at another address, in either order of coming and going.
for first in $ours $theirs; do
	second=$theirs
	[ $first = $theirs ] && second=$ours
	for gone in $first $second; do
		left=$second
		[ $gone = $second ] && left=$first
		what="${first##*/} first, ${gone##*/} gone first"
		start
		echo "p:one $one" >$first/uprobe_events
		echo "p:two $two" >$second/uprobe_events
		echo 1 >$first/events/uprobes/enable
		echo 1 >$second/events/uprobes/enable
		another "$what"
		echo 0 >$gone/events/uprobes/enable
		another "$what, one gone"
		echo 0 >$left/events/uprobes/enable
		[ $gone = $first ] && want="10 20" || want="20 10"
		is "$(hits $first one) $(hits $second two)" "$want" "$what: each has its own hits"
		end "$what"
		echo >$first/uprobe_events
		echo >$second/uprobe_events
	done
done

# At the same address: who was there first has the hits, and nothing breaks.
for first in $ours $theirs; do
	second=$theirs
	[ $first = $theirs ] && second=$ours
	what="the same address, ${first##*/} first"
	start
	echo "p:one $one" >$first/uprobe_events
	echo "p:one $one" >$second/uprobe_events
	echo 1 >$first/events/uprobes/enable
	echo 1 >$second/events/uprobes/enable 2>/dev/null
	another "$what"
	is "$(hits $first one) $(hits $second one)" "10 0" "$what: the hits are the first one's"
	echo 0 >$second/events/uprobes/enable
	another "$what, the second gone"
	echo 0 >$first/events/uprobes/enable
	end "$what"
	echo >$first/uprobe_events
	echo >$second/uprobe_events
done
