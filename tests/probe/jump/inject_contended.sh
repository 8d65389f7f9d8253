#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if there is no memory for counters of processors, they go on with one counter
# full: it waits until the counters have been looked at; jump_contended has the counters
# once: the code that fails is the same on all kernels
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/contended.inc"
grep -qw rdpid /proc/cpuinfo || skip_all "this processor has no rdpid"
inject=/sys/module/uprobes/parameters/inject
at_exit "echo off >$inject"
set -- cpu_counters.counters_create.kzalloc shared_pages.compat_shmem_file.shmem_file_setup \
	shared_pages.shared_pages_get.shmem_read_mapping_page_gfp ssol_area.map_call.vm_mmap
ktap_plan $((6 * $#))

# failed SITE: check that the call has failed since injection was turned on.
failed() {
	[ "$(awk -v site="$1" '$1 == site { print ($4 > 0) }' /sys/kernel/debug/uprobes-inject)" = 1 ]
}

# jumps_are N: check how many jumps there are.
jumps_are() {
	[ "$(jumps)" = "$1" ]
}

jump 1
for site; do
	replace_from 0
	contended_begin
	say run 2 >/dev/null
	check "$site: places need no trap" in_time jumps_are 2
	echo "$site:1+" >$inject
	replace_from 1
	check "$site fails" in_time failed "$site"
	check "$site: the places get their jumps again" in_time jumps_are 2
	echo off >$inject
	like "$(say peek)" "^0 pages" "$site: there is one counter for all"
	stopped "$site"
	exact "$site"
	count_end
	contended_end
done
