#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: calls that are followed with data do not take ever more memory
# once: what decides here is the module, in the same way on all kernels
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 4

# slab: kilobytes that the kernel has in objects.
slab() {
	awk '$1 == "Slab:" { print $2 }' /proc/meminfo
}

calls=100000
for flags in 0 1; do
	start_calls threads 1 $calls
	set_probe $flags pid="$pid" vaddr="$vaddr" returns=1 entry=1 action=data data=1000 flags=$flags
	run register $flags
	before=$(slab)
	go_on
	wait_for "sum of work"
	after=$(slab)
	end_calls
	is "$(calls $flags)" "$calls" "flags=$flags: all calls were followed"
	# A kilobyte each would be a hundred megabytes.
	check "flags=$flags: $before kB, then $after kB" test $((after - before)) -lt 50000
done
