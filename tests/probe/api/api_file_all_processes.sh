#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a probe on a file attaches to running processes, later ones, and forked children
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 8

offset=0x$(symbol "$progs/calls" forker)
for atomic in 0 1; do
	start_calls forks 20
	check "atomic=$atomic: a return probe on a file is registered" \
		insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$progs/calls" offset="$offset" atomic=$atomic
	go_on
	wait_for "vfork child"
	# Each of 20 forks returns twice, in the parent and in the child; vfork returns once.
	is "$(param uretprobe_sum returns)" 41 \
		"atomic=$atomic: returns of a running process and its children are counted"
	end_calls
	"$progs/calls" forks 20 >"$tmp/later"
	is "$(param uretprobe_sum returns)" 82 "atomic=$atomic: returns of a later process and its children are counted"
	is "$(cat "$tmp/later")" "$(tail -n +2 "$out")" "atomic=$atomic: both processes print the same results"
	rmmod uretprobe_sum
done
