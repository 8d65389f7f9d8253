#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each call is a hit or a miss while the kernel's uprobes come to the place of our probe and go
# full: what it may find is rare
# once: foreign_forked and fork_met cover the differences between kernels
# cpus: 2
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
tracing=/sys/kernel/tracing
[ -e $tracing/uprobe_events ] || mount -t tracefs tracefs $tracing 2>/dev/null
[ -e $tracing/uprobe_events ] || skip_all "this kernel has no uprobe_events"
ktap_plan 6

# sum COLUMN: print the sum of a column of what was counted.
sum() {
	awk -v column="$1" '{ n += $column } END { print n + 0 }' "$tmp/sums"
}

offset=$(offset_of pushes)
echo "p:counted/pushes $prog:$offset" >>$tracing/uprobe_events
for how in traps jumps; do
	jump $([ $how = traps ]; echo $?)
	jumps_begin
	count_begin "$prog" "$offset"
	echo busy >&"${program[1]}"
	for _ in {1..60}; do
		echo 1 >$tracing/events/counted/enable
		sleep 0.05
		echo 0 >$tracing/events/counted/enable
		sleep 0.05
	done
	echo idle >&"${program[1]}"
	read -r times _ answer <&"${program[0]}"
	like "$answer" "^0 wrong\$" "$how: the results are right"
	counts >"$tmp/sums"
	diag "$how: $times calls, $(sum 2) hits, $(sum 3) missed"
	is $(($(sum 2) + $(sum 3))) "$times" "$how: each call is a hit, or is missed"
	count_end
	jumps_end
	is $? 0 "$how: the program ends with status 0"
done
echo >$tracing/uprobe_events
