#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: without memory for a table of calls, or for their times, all calls are timed by traps
# full: inject_jump has the other allocations of jumps
# once: the code that fails is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
inject=/sys/module/uprobes/parameters/inject
at_exit "echo off >$inject"
sites="timing.timing_create.kzalloc counts.counts_begin_times.kmalloc
	shared_pages.shared_pages_get.shmem_read_mapping_page_gfp"
ktap_plan 6

prog=$tmp/timed
cp "$progs/timed" "$prog"

tell() {
	echo "$*" >&"${program[1]}"
	read -r answer <&"${program[0]}"
}

jump 1
for site in $sites; do
	exec 5<>$dir/aggregate
	entry=$((0x$(symbol "$prog" fib) - 0x400000))
	ends=$(rets "$prog" fib | while read -r at below; do
		printf ' \\0x%x' $((1 << 63 | below << 48 | at - 0x400000))
	done)
	echo "r:fib $prog:$entry$ends" >&5
	coproc program { exec "$prog" 5<&-; }
	read -r answer pid <&"${program[0]}"
	echo "$site:1+" >$inject
	called=0
	for _ in {1..60}; do
		tell fib 10
		called=$((called + answer))
		[ "$(awk -v site="$site" '$1 == site { print ($4 > 0) }' /sys/kernel/debug/uprobes-inject)" != 1 ] || break
		sleep 0.1
	done
	check "$site fails" [ "$(awk -v site="$site" '$1 == site { print ($4 > 0) }' /sys/kernel/debug/uprobes-inject)" = 1 ]
	echo off >$inject
	tell fib 10
	called=$((called + answer))
	is "$(awk '{ print $2, $3 }' <&5)" "$called 0" "$site: all calls are timed"
	exec 5<&- {program[1]}>&-
	wait "$pid"
done
