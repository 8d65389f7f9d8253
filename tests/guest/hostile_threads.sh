#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program that takes its SSOL area away from under its threads, which execute in it, harms itself alone
# timeout: 240
# cpus: 2
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
. "$UPROBES_TOP/tests/guest/hostile.inc"
turns=1
[ -z "${FULL:-}" ] || turns="1 2 3"
ktap_plan $((12 + 10 * $(echo $turns | wc -w)))

prog=$progs/hostile_area
bystander_start
# Each instruction of work() in a slot, with handlers in the trap and in task context; its calls.
set_instructions "$prog" work
for flags in 0 1; do
	set_probe $n path="$prog" offset="0x$(symbol "$prog" work)" flags=$flags returns=1
	n=$((n + 1))
done
for thing in unmap protect overwrite replace move; do
	for i in $(seq 0 $((n - 1))); do run register "$i"; done
	# Where the others are when it is done is not the same each time.
	for turn in $turns; do
		hostile "$prog" $thing 100 3
		diag "$thing: status $hostile_status, $(tr '\n' ' ' <"$tmp/hostile")"
		like "$hostile_status $(cat "$tmp/hostile")" "^[0-9]+ before 14950$" "$thing: until then all is well"
		check "$thing: it ends, turn $turn" \
			test $hostile_status != 124 -a $hostile_status != 137 -a $hostile_status != 3
	done
	bystander_fine $thing
	for i in $(seq 0 $((n - 1))); do run unregister "$i"; done
	is "$("$prog" none 100 3 | head -n 1)" "before 14950" "$thing: the program runs unprobed as ever"
done
all_gone
