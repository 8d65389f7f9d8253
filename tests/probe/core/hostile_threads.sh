#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program that damages its SSOL area while its threads execute in it harms only itself
# timeout: 240
# cpus: 2
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/hostile.inc"
turns=1
[ -z "${FULL:-}" ] || turns="1 2 3"
ktap_plan $((12 + 10 * $(echo $turns | wc -w)))

prog=$progs/hostile_area
bystander_start
# Probe each instruction of work(), so that each executes in a slot, and its calls by return probes with
# handlers in the trap and in task context.
set_instructions "$prog" work
for flags in 0 1; do
	set_probe $n path="$prog" offset="0x$(symbol "$prog" work)" flags=$flags returns=1
	n=$((n + 1))
done
for thing in unmap protect overwrite replace move; do
	for i in $(seq 0 $((n - 1))); do run register "$i"; done
	# In each turn, the threads may be at other instructions when the damage is done.
	for turn in $turns; do
		hostile "$prog" $thing 100 3
		diag "$thing: status $hostile_status, $(tr '\n' ' ' <"$tmp/hostile")"
		like "$hostile_status $(cat "$tmp/hostile")" "^[0-9]+ before 14950$" \
			"$thing: the results before are right, turn $turn"
		check "$thing: the program ends, turn $turn" \
			test $hostile_status != 124 -a $hostile_status != 137 -a $hostile_status != 3
	done
	bystander_fine $thing
	for i in $(seq 0 $((n - 1))); do run unregister "$i"; done
	is "$("$prog" none 100 3 | head -n 1)" "before 14950" \
		"$thing: after unregistering, the program's result is right"
done
all_gone
