#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: 100,000 hits of a multi-threaded program are counted exactly, and its text is restored afterwards
# cpus: 2
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 8

for atomic in 0 1; do
	start_calls threads 4 25000
	check "atomic=$atomic: a probe on a running process is registered" \
		insmod "$UPROBES_SAMPLES/uprobe_count.ko" pid="$pid" vaddr="$vaddr" atomic=$atomic
	go_on
	wait_for "sum of work"
	is "$(param uprobe_count hits)" 100000 "atomic=$atomic: all hits are counted"
	rmmod uprobe_count
	check "atomic=$atomic: the text equals the file after unregistering" "$progs/textcmp" "$pid"
	end_calls
	is "$(tail -n 1 "$out")" "$("$progs/calls" threads 4 25000)" \
		"atomic=$atomic: the program's result equals that of an unprobed run"
done
