#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: children forked from a probed process run unprobed and unharmed, vfork children like threads
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 8

# The child returns from the function in which it was forked, and calls work().
"$progs/calls" forks 50 >"$tmp/plain"
for atomic in 0 1; do
	start_calls forks 50
	check "atomic=$atomic: a return probe is registered" \
		insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" pid="$pid" vaddr="$vaddr" atomic=$atomic
	work=$(symbol_in "$pid" "$progs/calls" work)
	insmod "$UPROBES_SAMPLES/uprobe_count.ko" pid="$pid" vaddr="$work" atomic=$atomic
	go_on
	wait_for "vfork child"
	is "$(tail -n +2 "$out")" "$(cat "$tmp/plain")" "atomic=$atomic: the children fare as unprobed"
	is "$(param uretprobe_sum returns)" 51 "atomic=$atomic: only the parent's returns are counted"
	is "$(param uprobe_count hits)" 1 "atomic=$atomic: the children's calls are not, but that of vfork()"
	rmmod uprobe_count
	rmmod uretprobe_sum
	end_calls
done
