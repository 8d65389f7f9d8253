#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the module unloads while threads are in pads that count or trap, and the program does not notice
# once: jump_foreign covers the differences between kernels
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
rounds=1
[ -z "${FULL:-}" ] || rounds=4
ktap_plan $((rounds * 10))

client=/sys/module/uprobe_client/parameters

# filters_begin: have a client probe the same places, with conditions that half of the hits meet.
filters_begin() {
	insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
	n=0
	for offset in $(offsets_of $entries $inside); do
		echo "$n file=$prog offset=$offset flags=1 where=di.8.u.bits.64" >$client/set
		n=$((n + 1))
	done
	echo "register 0-$((n - 1))" >$client/run
}

filters_end() {
	rmmod uprobe_client
}

counting_begin() {
	# shellcheck disable=SC2046,SC2086
	count_begin "$prog" $(offsets_of $entries $inside)
}

jumps_begin
# Without FULL=1, the threads, which are busy all the time, leave the processor to the test.
[ -n "${FULL:-}" ] || renice -n 19 "$pid" >/dev/null
for round in $(seq $rounds); do
	for what in counting filters; do
		jump 1
		${what}_begin
		check "$what, round $round: places need no trap" hot $jumping
		say peek >/dev/null
		echo busy >&"${program[1]}"
		sleep 0.2
		if [ $what = counting ]; then count_end; else filters_end; fi
		check "$what, round $round: the module unloads" rmmod uprobes_trace uprobes
		echo idle >&"${program[1]}"
		read -r answer <&"${program[0]}"
		like "$answer" ", 0 wrong\$" "$what, round $round: all results are right"
		like "$(say pads)" ", 0 wrong\$" "$what, round $round: threads in pads go on"
		check "$what, round $round: the text is that of the file" "$progs/textcmp" "$pid"
		load_module
	done
done
