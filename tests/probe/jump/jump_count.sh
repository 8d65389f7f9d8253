#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: hits that are counted without a trap are counted exactly
# once: jump_foreign covers the differences between kernels
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 12

insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
at_exit "rmmod uprobe_client"
client=/sys/module/uprobe_client/parameters
. "$UPROBES_TOP/tests/shared/jump.inc"
jump 1

# hits N: print the hits of probe N.
hits() {
	awk -v n="$1" '$1 == n { print $3 }' $client/state
}

n=0
for calls in 25000 250000 1000000; do
	start_calls threads 4 $calls
	echo "$n pid=$pid vaddr=$vaddr flags=8 handler=0" >$client/set
	check "$calls calls in each of 4 threads: a probe is registered" sh -c "echo register $n >$client/run"
	go_on
	wait_for "sum of work"
	is "$(hits $n)" $((4 * calls)) "all hits are counted"
	echo "unregister $n" >$client/run
	check "the text equals the file after unregistering" "$progs/textcmp" "$pid"
	end_calls
	is "$(tail -n 1 "$out")" "$("$progs/calls" threads 4 $calls)" \
		"the program's result equals that of an unprobed run"
	n=$((n + 1))
done
