#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a return probe counts up to 262,144 nested calls; longjmp() out of them does no harm, and later calls count
# timeout: 240
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan $((FULL ? 18 : 15))
ulimit -s 65536

for atomic in 0 1; do
	for thing in "deep 10000" "deep 262153" "leaves 262153 9" "jumps 2000 20"; do
		missed=0
		# These take long. Only the last one runs, with FULL=1.
		case $atomic$thing${FULL:-} in
		0*262153* | 1deep\ 262153) continue ;;
		esac
		case $thing in
		deep\ 10000) fn=deep returns=10001 ;;
		deep*) fn=deep returns=262144 missed=10 ;;
		leaves*) fn=deep returns=10 missed=10 ;;
		jumps*) fn=thrower returns=0 ;;
		esac
		insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$progs/calls" \
			offset="0x$(symbol "$progs/calls" $fn)" atomic=$atomic
		# shellcheck disable=SC2086
		"$progs/calls" $thing >"$tmp/probed"
		is $? 0 "atomic=$atomic: calls $thing ends with status 0"
		is "$(param uretprobe_sum returns) $(param uretprobe_sum missed)" "$returns $missed" \
			"atomic=$atomic: returns up to the limit are counted, the others missed"
		rmmod uretprobe_sum
		# shellcheck disable=SC2086
		is "$(cat "$tmp/probed")" "$("$progs/calls" $thing)" \
			"atomic=$atomic: the result equals that of an unprobed run"
	done
done
