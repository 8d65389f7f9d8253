#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: calls that are under way when their return probe goes return well, with the module there and other probes on them
# once: what decides here is the module, in the same way on all kernels
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 14

plain=$("$progs/calls" sleepers 100 8)
n=0
for flags in 0 1; do
	start_calls sleepers 100 8
	# Three on each call: one goes, one goes and comes back, one stays.
	for i in 0 1 2; do
		set_probe $((n + i)) pid="$pid" vaddr="$vaddr" returns=1 flags=$flags entry=1 action=data data=16
	done
	run register $n-$((n + 2))
	go_on
	wait_for "all sleep"
	is "$(entries $n) $(entries $((n + 1))) $(entries $((n + 2)))" "100 100 100" "flags=$flags: a hundred calls are under way"
	check "flags=$flags: one return probe goes" run unregister $n
	is "$(registered $n)" 0 "flags=$flags: without waiting for the calls"
	run unregister $((n + 1))
	check "flags=$flags: another one goes and comes back" run register $((n + 1))
	go_on
	wait_for "slept"
	is "$(tail -n 1 "$out")" "${plain##*$'\n'}" "flags=$flags: all return, with their values"
	is "$(calls $n) $(calls $((n + 1))) $(calls $((n + 2)))" "0 0 100" \
		"flags=$flags: what is seen of them is what the probe sees that has stayed"
	end_calls
	is $? 0 "flags=$flags: the program ends well"
	n=$((n + 3))
done
