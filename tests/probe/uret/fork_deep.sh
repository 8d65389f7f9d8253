#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a child that is forked in deeply nested return-probed calls returns from all of them
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 12

prog=$progs/deep_fork
for atomic in 0 1; do
	for depth in 100 3000; do
		"$prog" $depth >"$tmp/plain"
		insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$prog" \
			offset="0x$(symbol "$prog" descend)" atomic=$atomic
		"$prog" $depth >"$tmp/probed"
		is "$? $(cat "$tmp/probed")" "0 $(cat "$tmp/plain")" \
			"depth $depth, atomic=$atomic: the results are as without probes"
		# A probe on a file attaches to the child, too, so that its returns count.
		is "$(param uretprobe_sum returns) $(param uretprobe_sum sum)" \
			"$((2 * depth)) $((depth * (depth + 1)))" \
			"depth $depth, atomic=$atomic: each return in both processes is counted"
		is "$(param uretprobe_sum missed)" 0 "depth $depth, atomic=$atomic: none is missed"
		rmmod uretprobe_sum
	done
done
