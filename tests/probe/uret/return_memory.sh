#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: return-probed calls with data do not take ever more memory, and the memory of very many calls is freed
# once: the result depends on the module only, not on the kernel
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ways=1
[ -z "${FULL:-}" ] || ways="0 1"
ktap_plan $((FULL ? 6 : 4))

# slab: print the kilobytes that the kernel has in slabs.
slab() {
	awk '$1 == "Slab:" { print $2 }' /proc/meminfo
}

calls=70000
[ -z "${FULL:-}" ] || calls=100000
for flags in $ways; do
	start_calls threads 1 $calls
	set_probe $flags pid="$pid" vaddr="$vaddr" returns=1 entry=1 action=data data=1000 flags=$flags
	run register $flags
	before=$(slab)
	go_on
	wait_for "sum of work"
	after=$(slab)
	end_calls
	is "$(calls $flags)" "$calls" "flags=$flags: the return handler is called for each call"
	# A kilobyte for each call would be seventy megabytes.
	check "flags=$flags: slabs do not grow by the data of all calls: $before kB, then $after kB" \
		test $((after - before)) -lt 50000
done

# 120,000 calls at once take 11 megabytes. They are of coroutines that end in another thread.
prog=$progs/coroutines_many
set_probe 2 path="$prog" offset=0x"$(symbol "$prog" probed_pause)" returns=1 flags=1
set_probe 3 path="$prog" offset=0x"$(symbol "$prog" probed_deep)" returns=1 flags=1
run register 2-3
before=$(slab)
"$prog" 3 40000 away >"$out"
is "$(hits 2) $(hits 3)" "1 120006" "all returns of the coroutines are counted"
came_back() {
	[ $(($(slab) - before)) -lt 6000 ]
}
check "the memory of these calls is freed" in_time came_back
diag "$before kB, then $(slab) kB"
