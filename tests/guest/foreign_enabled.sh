#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a probe is enabled where somebody else's breakpoint has come while it was not
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 30

theirs=/sys/kernel/tracing
tools=$progs
# The kernel's uprobes do not take every file system.
cp "$progs/steps" "$tmp/steps"
progs=$tmp
at=0x$(symbol "$progs/steps" work)
steps
program=$!
plain=$(step call 10)

# called HITS WHAT: ten times; ours has that many hits then.
called() {
	is "$(step call 10)" "$plain" "$2: the program's result is right"
	is "$(hits $n) $(missed $n)" "$1 0" "$2: our hits"
}

in_place() {
	"$tools/textcmp" "$pid" | grep -q "at $work: .*memory 0xcc"
}

n=0
for scope in "pid=$pid vaddr=$work" "path=$progs/steps offset=$at"; do
	what=${scope%%=*}
	# shellcheck disable=SC2086 # two words
	set_probe $n $scope flags=2
	run register $n
	: >"$tmp/debugged"
	"$tools/debugger" "$pid" "$work" 20 >"$tmp/debugged" &
	debugger=$!
	wait_until "the debugger's breakpoint is set" grep -q set "$tmp/debugged"
	check "$what: enabled under a debugger's" run enable $n
	called 10 "$what, under a debugger's"
	called 20 "$what, which goes"
	wait $debugger
	is "$(tail -n 1 "$tmp/debugged")" "20 hits" "$what: it has its hits"
	called 30 "$what, ours alone"
	run unregister $n
	n=$((n + 1))

	if [ ! -e $theirs/uprobe_events ]; then
		for left in 1 2 3 4 5 6 7; do
			skip "$what: beside the kernel's, $left" "this kernel has no uprobe_events"
		done
		continue
	fi
	# shellcheck disable=SC2086 # two words
	set_probe $n $scope flags=2
	run register $n
	echo "p:work $progs/steps:$at" >$theirs/uprobe_events
	echo 1 >$theirs/events/uprobes/enable
	check "$what: enabled under the kernel's" run enable $n
	called 10 "$what, under the kernel's"
	is "$(awk '$2 == "work" { print $3 + 0 }' $theirs/uprobe_profile)" 10 "$what: it has its hits"
	echo 0 >$theirs/events/uprobes/enable
	echo >$theirs/uprobe_events
	wait_until "our breakpoint is back in place" in_place
	called 20 "$what, the kernel's gone"
	run unregister $n
	n=$((n + 1))
	check "$what: the text is that of the file" "$tools/textcmp" "$pid"
done
exec 3>&-
wait $program
