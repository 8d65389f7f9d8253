#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a probe on a file reaches running processes, later ones, and forked children
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 8

offset=0x$(symbol "$progs/calls" forker)
for atomic in 0 1; do
	start_calls forks 20
	check "atomic=$atomic: a return probe on a file is registered" \
		insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$progs/calls" offset="$offset" atomic=$atomic
	go_on
	wait_for "vfork child"
	# 20 forks return twice each, in the parent and in the child; one vfork.
	is "$(param uretprobe_sum returns)" 41 "atomic=$atomic: a process that was running, and its children"
	end_calls
	"$progs/calls" forks 20 >"$tmp/later"
	is "$(param uretprobe_sum returns)" 82 "atomic=$atomic: a process that is started later"
	is "$(cat "$tmp/later")" "$(tail -n +2 "$out")" "atomic=$atomic: both report the same"
	rmmod uretprobe_sum
done
