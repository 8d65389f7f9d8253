#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a probe can be enabled where another owner has inserted a breakpoint while the probe was disabled
# once: foreign_failed and foreign_forked cover the differences between kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
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

# called HITS WHAT: call work() ten times; then our probe has HITS hits. Two results.
called() {
	is "$(step call 10)" "$plain" "$2: the program's result is right"
	is "$(hits $n) $(missed $n)" "$1 0" "$2: our probe has all hits"
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
	check "$what: our probe is enabled under a debugger's breakpoint" run enable $n
	called 10 "$what, under a debugger's breakpoint"
	called 20 "$what, while the debugger detaches"
	wait $debugger
	is "$(tail -n 1 "$tmp/debugged")" "20 hits" "$what: the debugger has its hits"
	called 30 "$what, after the debugger"
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
	check "$what: our probe is enabled under the kernel's uprobe" run enable $n
	called 10 "$what, under the kernel's uprobe"
	is "$(awk '$2 == "work" { print $3 + 0 }' $theirs/uprobe_profile)" 10 "$what: the kernel's uprobe has its hits"
	echo 0 >$theirs/events/uprobes/enable
	echo >$theirs/uprobe_events
	wait_until "our breakpoint is back in place" in_place
	called 20 "$what, after the kernel's uprobe"
	run unregister $n
	n=$((n + 1))
	check "$what: the text equals the file" "$tools/textcmp" "$pid"
done
exec 3>&-
wait $program
