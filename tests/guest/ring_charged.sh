#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: memory for pads and rings is charged to the program that has them, and is freed when it ends
# cpus: 2
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
. "$UPROBES_TOP/tests/guest/jump.inc"
. "$UPROBES_TOP/tests/guest/ring.inc"

group=/sys/fs/cgroup/payer
echo +memory >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null
mkdir -p $group && [ -e $group/memory.stat ] || skip_all "this kernel does not account the memory of cgroups"
at_exit "in_time rmdir $group"
grep -q '^kernel ' $group/memory.stat || skip_all "this kernel does not tell the kernel memory of a cgroup"
ktap_plan 6

# pages: print how many pages of kernel memory the group has.
pages() {
	awk '$1 == "kernel" { print int($2 / 4096) }' $group/memory.stat
}

# hits JUMP: start the program, and have it hit on both processors; print the pages that it takes then.
hits() {
	jump "$1"
	ringed sh -c "echo \$\$ >$group/cgroup.procs && exec \$0"
	[ "$1" = 0 ] || warm
	tell run 8 1000 >/dev/null
	# The kernel brings the numbers of a group up to date every two seconds.
	sleep 2.5
	pages
}

clear
define "p:calls $call a=%di:s32 b=%si:s64"
enable
: >$dir/trace
hits 0 >"$tmp/out"
trapped=$(tail -n 1 "$tmp/out")
is "$(lines | sound)" 8000 "all hits are recorded by traps"
ringed_end
empty() { [ "$(pages)" -le 8 ]; }
check "the group has no memory when the program has ended" in_time empty

: >$dir/trace
hits 1 >"$tmp/out"
ringed=$(tail -n 1 "$tmp/out")
diag "$trapped pages with traps, $ringed with pads and rings"
# A page for the heads, one for the ring of each processor, and one for the pads.
check "with rings, the program pays for four pages more at least" [ $((ringed - trapped)) -ge 4 ]
check "it pays for sixteen more at most" [ $((ringed - trapped)) -le 16 ]

# A child of fork has no rings, and pays nothing for its parent's.
tell fork 100 >/dev/null
check "a child that has exited leaves nothing" in_time eval "[ \$(pages) -le $((ringed + 8)) ]"
ringed_end
check "the memory is freed when the program ends" in_time empty
disable
