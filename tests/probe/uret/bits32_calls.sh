#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: probes count entries and returns in 32-bit programs with threads, recursion, longjmp, forks and "ret $4"
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 240
# needs: /usr/lib32/libc.so.6 objdump
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/task.inc"
ktap_plan $((FULL ? 37 : 29))

control=/sys/kernel/debug/uprobes

# returns FUNCTION WANTED PROGRAM ARGUMENT...: the result is as without probes, and the return probe counts
# WANTED returns. Two results.
returns() {
	fn=$1 want=$2
	shift 2
	prog=$progs/$1
	shift
	"$prog" "$@" >"$tmp/plain"
	insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$prog" \
		offset="0x$(symbol "$prog" "$fn")" atomic=$atomic
	"$prog" "$@" >"$tmp/probed"
	is "$? $(cat "$tmp/probed")" "0 $(cat "$tmp/plain")" \
		"$fn, atomic=$atomic: the result is the same as without probes"
	is "$(param uretprobe_sum returns) $(param uretprobe_sum missed)" "$want 0" \
		"$fn, atomic=$atomic: each return is counted"
	rmmod uretprobe_sum
}

for atomic in 0 1; do
	returns work 4000 calls32 threads 4 1000
	returns make 500 sret32 500
	[ $atomic = 0 ] || [ -n "${FULL:-}" ] || continue
	returns deep 5001 calls32 deep 5000
	returns thrower 0 calls32 jumps 50 20
	# The children of fork() return, too; the child of vfork() does not.
	returns forker 7 calls32 forks 3
	returns three 500 sret32 500
done

# The module unloads while threads sleep in probed calls.
prog=$progs/calls32
"$prog" sleepers 100 1500 >"$tmp/plain"
insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$prog" offset="0x$(symbol "$prog" sleeper)"
: >"$out"
"$prog" sleepers 100 1500 >"$out" &
wait_for "all sleep"
check "the client unloads while threads sleep" rmmod uretprobe_sum
check "the module unloads while threads sleep" rmmod uprobes_trace uprobes
wait $!
is "$? $(cat "$out")" "0 $(cat "$tmp/plain")" "all threads return to their callers"
load_module

# Probe each instruction of these functions.
for prog in "$progs/calls32" "$progs/sret32"; do
	case $prog in
	*calls32) set -- work_thread threads deep thrower forker main; what="forks 2" ;;
	*) set -- make three main; what=100 ;;
	esac
	for arg in "" "$in_task"; do
		for at in $(instructions "$prog" "$@"); do
			echo "p:i$at $prog:$at $arg"
		done >"$control/uprobe_events"
		: >"$control/trace"
		echo 1 >"$control/events/uprobes/enable"
		# shellcheck disable=SC2086
		"$prog" $what >"$tmp/probed"
		status=$?
		echo 0 >"$control/events/uprobes/enable"
		# shellcheck disable=SC2086
		"$prog" $what >"$tmp/plain"
		is "$status $(cat "$tmp/probed")" "0 $(cat "$tmp/plain")" \
			"${prog##*/} $what, each instruction probed${arg:+ in task context}: the result is the same"
		is "$(awk '$4 { print }' "$control/uprobe_profile")" "" "no hit is missed"
		[ -z "$arg" ] || check "all handlers ran in task context" left_to_task
		echo >"$control/uprobe_events"
	done
done
