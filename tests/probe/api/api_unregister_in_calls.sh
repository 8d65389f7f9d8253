#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: calls under way while their return probe is unregistered return correctly, with other probes on them
# once: the module's own code decides this, and it is the same on all kernels
# cpus: 2 with FULL=1
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 14

plain=$("$progs/calls" sleepers 100 8)
n=0
for flags in 0 1; do
	start_calls sleepers 100 8
	# Three return probes on each call: the first is unregistered, the second is unregistered and
	# registered again, the third stays.
	for i in 0 1 2; do
		set_probe $((n + i)) pid="$pid" vaddr="$vaddr" returns=1 flags=$flags entry=1 action=data data=16
	done
	run register $n-$((n + 2))
	go_on
	wait_for "all sleep"
	is "$(entries $n) $(entries $((n + 1))) $(entries $((n + 2)))" "100 100 100" "flags=$flags: a hundred calls are under way"
	check "flags=$flags: one return probe is unregistered" run unregister $n
	is "$(registered $n)" 0 "flags=$flags: unregistering does not wait for the calls"
	run unregister $((n + 1))
	check "flags=$flags: another one is unregistered and registered again" run register $((n + 1))
	go_on
	wait_for "slept"
	is "$(tail -n 1 "$out")" "${plain##*$'\n'}" "flags=$flags: all calls return, with their values"
	is "$(calls $n) $(calls $((n + 1))) $(calls $((n + 2)))" "0 0 100" \
		"flags=$flags: only the probe that stayed counts these returns"
	end_calls
	is $? 0 "flags=$flags: the program ends with status 0"
	n=$((n + 3))
done
