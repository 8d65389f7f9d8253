#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: forked children of a probed process run unprobed and unharmed, and vfork children are probed like threads
# once: others cover how each kernel forks, ends and dumps: fork_met, api_started, core_stat
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 8

# Each child returns from the probed function that forked it, and calls work().
"$progs/calls" forks 50 >"$tmp/plain"
for atomic in 0 1; do
	start_calls forks 50
	check "atomic=$atomic: a return probe is registered" \
		insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" pid="$pid" vaddr="$vaddr" atomic=$atomic
	work=$(symbol_in "$pid" "$progs/calls" work)
	insmod "$UPROBES_SAMPLES/uprobe_count.ko" pid="$pid" vaddr="$work"
	go_on
	wait_for "vfork child"
	is "$(tail -n +2 "$out")" "$(cat "$tmp/plain")" "atomic=$atomic: the children's results are as without probes"
	is "$(param uretprobe_sum returns)" 51 "atomic=$atomic: only the returns in the parent are counted"
	is "$(param uprobe_count hits)" 1 \
		"atomic=$atomic: the vfork child's call is counted, calls of forked children are not"
	rmmod uprobe_count
	rmmod uretprobe_sum
	end_calls
done
