#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program that sets TF, executes breakpoints, or overwrites probed text behaves the same as without probes
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/hostile.inc"
ktap_plan $((FULL ? 34 : 19))

prog=$progs/hostile_flags
# in_file SYMBOL: print its file offset. The file is not linked at its offsets.
in_file() {
	uprobe offset "$prog" "$1" | sed 's/.*://'
}

bystander_start
n=0
for at in $(in_file work) $(($(in_file work) + 1)) $(in_file more_lea) $(in_file more_nop) $(in_file more_ret); do
	for returns in 0 1; do
		# Return probes only at the start of the function.
		[ $returns = 0 ] || [ $n = 1 ] || continue
		set_probe $n path="$prog" offset=$((at)) flags=1 returns=$returns
		n=$((n + 1))
	done
done
last=$((n - 1))
set_probe $n path="$prog" offset=$(($(in_file work))) flags=0
check "there are six probes ($n)" test $n = 6

for thing in step traps both write change; do
	"$prog" $thing >"$tmp/plain"
	for with in ${FULL:+$last} $n; do
		for i in $(seq 0 $with); do run register $i; done
		hostile "$prog" $thing
		diag "$thing: $(tr '\n' ' ' <"$tmp/hostile")"
		case $thing in
		step | traps | both)
			is "$hostile_status $(cat "$tmp/hostile")" "0 $(cat "$tmp/plain")" \
				"$thing: the result is as without probes, $((with + 1)) probes" ;;
		*)
			# The program overwrites the module's breakpoints. Its result may be anything.
			check "$thing: the program ends, $((with + 1)) probes" \
				test $hostile_status != 124 -a $hostile_status != 137 ;;
		esac
		bystander_fine $thing
		for i in $(seq 0 $with); do run unregister $i; done
		is "$("$prog" $thing)" "$(cat "$tmp/plain")" \
			"$thing: after unregistering $((with + 1)) probes, the result is right"
	done
done
is "$(awk '$1 < 900 && $2' $client_dir/state)" "" "no probe is registered any more"
all_gone
