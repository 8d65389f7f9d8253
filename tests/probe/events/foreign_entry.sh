#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: entry handlers that may sleep are called even if another owner's breakpoint is at the address
# once: foreign_failed and foreign_forked cover the differences between kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 24

theirs=/sys/kernel/tracing
debugger=$progs/debugger
# The kernel's uprobes do not take every file system.
cp "$progs/steps" "$tmp/steps"
progs=$tmp
steps
program=$!
plain=$(step nest 9)
n=0

# data WHAT: make ten calls of nest(), each with data from the entry handler. Two results.
data() {
	is "$(step nest 9)" "$plain" "$1: the program's result is right"
	is "$(calls $n) $(entries $n) $(missed $n)" "10 10 0" "$1: each return has the data of its entry"
}

# decline WHAT: make ten calls of nest(). The entry handler declines every second one. Two results.
decline() {
	is "$(step nest 9)" "$plain" "$1: the program's result is right"
	is "$(hits $n) $(entries $n) $(missed $n)" "5 10 0" "$1: the returns of declined calls are not counted"
}

# come WHO: register our probe with $action, start a debugger for ten hits, or enable the kernel's uprobe.
come() {
	case $1 in
	ours)
		set_probe $n pid="$pid" vaddr="$nest" returns=1 entry=1 data=64 action="$action"
		run register $n
		;;
	debugger)
		: >"$tmp/debugged"
		"$debugger" "$pid" "$nest" 10 >"$tmp/debugged" &
		debugs=$!
		wait_until "the debugger's breakpoint is set" grep -q set "$tmp/debugged"
		;;
	theirs)
		echo "p:nest $progs/steps:0x$(symbol "$progs/steps" nest)" >$theirs/uprobe_events
		echo 1 >$theirs/events/uprobes/enable
		;;
	esac
}

for order in "ours debugger" "debugger ours"; do
	for action in data decline; do
		for who in $order; do
			come "$who"
		done
		"$action" "$order"
		wait "$debugs"
		run unregister $n
		n=$((n + 1))
		is "$(step nest 9)" "$plain" "$order: after both probes, the program's result is right"
	done
done
for order in "ours theirs" "theirs ours"; do
	for action in data decline; do
		if [ ! -e $theirs/uprobe_events ]; then
			for what in "the result" "the calls" "the result of the program alone"; do
				skip "$order: $what" "this kernel has no uprobe_events"
			done
			continue
		fi
		for who in $order; do
			come "$who"
		done
		"$action" "$order"
		run unregister $n
		n=$((n + 1))
		echo 0 >$theirs/events/uprobes/enable
		echo >$theirs/uprobe_events
		is "$(step nest 9)" "$plain" "$order: after both probes, the program's result is right"
	done
done
exec 3>&-
wait $program
