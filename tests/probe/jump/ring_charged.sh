#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: memory for pads and rings is charged to the program that has them, and is freed when it ends
# cpus: 2
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/ring.inc"
. "$UPROBES_TOP/tests/shared/charged.inc"

grep -q '^kernel ' $group/memory.stat || skip_all "this kernel does not tell the kernel memory of a cgroup"
ktap_plan 6

# pages: print how many pages of kernel memory the group has.
pages() {
	echo $(($(charged kernel) / 4096))
}

clear
define "p:calls $call a=%di:s32 b=%si:s64"
enable
: >$dir/trace
jump 0
ringed sh -c "echo \$\$ >$group/cgroup.procs && exec \$0"
# On both processors.
tell run 8 1000 >/dev/null
trapped=$(settled pages)
is "$(lines | sound)" 8000 "all hits are recorded by traps"
jump 1
check "then the place needs no trap" warm
# A page for the heads, one for the ring of each processor, and one for the pads. A worker gets them.
grown() {
	tell run 8 1000
	[ $(($(pages) - trapped)) -ge 4 ]
}
check "with rings, the program pays for four pages more at least" in_time grown
# Its threads have ended, but their stacks and other memory may be freed a little later.
shrunk() {
	ringed=$(pages)
	[ $((ringed - trapped)) -le 16 ]
}
check "it pays for sixteen more at most" in_time shrunk
diag "$trapped pages with traps, $ringed with pads and rings"

# A child of fork has no rings, and pays nothing for its parent's.
tell fork 100 >/dev/null
check "a child that has exited leaves nothing" in_time eval "[ \$(pages) -le $((ringed + 8)) ]"
ringed_end
empty() { [ "$(pages)" -le 8 ]; }
check "the memory is freed when the program ends" in_time empty
disable
