#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: calls that are followed with data do not take ever more memory, and what very many calls took comes back
# once: what decides here is the module, in the same way on all kernels
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 6

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

# 120,000 calls at once, of coroutines that end in another thread than theirs: 11 megabytes.
prog=$progs/coroutines_many
set_probe 2 path="$prog" offset=0x"$(symbol "$prog" probed_pause)" returns=1 flags=1
set_probe 3 path="$prog" offset=0x"$(symbol "$prog" probed_deep)" returns=1 flags=1
run register 2-3
before=$(slab)
"$prog" 3 40000 away >"$out"
is "$(hits 2) $(hits 3)" "1 120006" "all calls of coroutines were followed"
came_back() {
	[ $(($(slab) - before)) -lt 6000 ]
}
check "what they took comes back" in_time came_back
diag "$before kB, then $(slab) kB"
