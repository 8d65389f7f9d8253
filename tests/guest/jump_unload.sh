#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the module unloads while threads are in pads, and the program does not notice
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/probes.inc"
. "$UPROBES_TOP/tests/guest/jump.inc"
. "$UPROBES_TOP/tests/guest/jump_program.inc"
ktap_plan 16

jumps_begin
for round in 1 2 3 4; do
	jump 1
	# shellcheck disable=SC2086
	count_begin "$prog" $(offsets_of $entries $inside)
	check "round $round: the program counts without a trap" hot $jumping
	echo busy >&"${program[1]}"
	sleep 0.2
	count_end
	check "round $round: the module unloads" rmmod uprobes
	echo idle >&"${program[1]}"
	read -r answer <&"${program[0]}"
	like "$answer" ", 0 wrong\$" "round $round: all results are right"
	check "round $round: the text is that of the file" "$progs/textcmp" "$pid"
	load_module
done
