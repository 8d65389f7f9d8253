#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: in a ptraced program, a hit is counted once even if the kernel's uprobe was at the same address
# once: foreign_failed and foreign_forked cover the differences between kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

theirs=/sys/kernel/tracing
[ -e $theirs/uprobe_events ] || skip_all "this kernel has no uprobe_events"
ktap_plan 16

tools=$progs
# The kernel's uprobes do not take every file system.
cp "$progs/steps" "$tmp/steps"
progs=$tmp
echo "p:work $progs/steps:0x$(symbol "$progs/steps" work)" >$theirs/uprobe_events

their_hits() {
	awk '$2 == "work" { print $3 + 0 }' $theirs/uprobe_profile
}

# come WHO: probe work() by our module or by the kernel.
come() {
	case $1 in
	ours) run register "$n" ;;
	theirs) echo 1 >$theirs/events/uprobes/enable ;;
	esac
}

n=0
for order in "ours theirs" "theirs ours"; do
	steps
	program=$!
	plain=$(step call 10)
	for flags in 0 1; do
		what="$order, flags=$flags"
		# A tracer with a breakpoint at another address.
		: >"$tmp/debugged"
		"$tools/debugger" "$pid" "$nest" 1 >"$tmp/debugged" &
		wait_until "the tracer has attached" grep -q set "$tmp/debugged"
		set_probe $n pid="$pid" vaddr="$work" flags=$flags
		before=$(their_hits)
		for who in $order; do
			come "$who"
		done
		is "$(step call 10)" "$plain" "$what: the program's result is right"
		is "$(hits $n) $(($(their_hits) - before))" "10 10" "$what: both probes have all hits"
		echo 0 >$theirs/events/uprobes/enable
		wait_until "the breakpoint is back in place" \
			sh -c "'$tools/textcmp' $pid | grep -q 'at $work: .*memory 0xcc'"
		step call 10 >/dev/null
		is "$(hits $n) $(missed $n)" "20 0" "$what: our probe alone has all hits"
		run unregister $n
		step nest 0 >/dev/null
		wait_until "the tracer has detached" grep -q hits "$tmp/debugged"
		is "$(step call 10)" "$plain" "$what: without both probes, the program's result is right"
		n=$((n + 1))
	done
	exec 3>&-
	wait $program
done
echo >$theirs/uprobe_events
