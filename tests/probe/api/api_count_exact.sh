#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: 100,000 hits of a multi-threaded program are counted exactly, and its text is restored afterwards
# cpus: 2
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 12

insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
at_exit "rmmod uprobe_client"
client=/sys/module/uprobe_client/parameters

# hits N: print the hits of probe N.
hits() {
	awk -v n="$1" '$1 == n { print $3 }' $client/state
}

# The handler runs in task context, or in the trap, or there is none (UPROBE_COUNT).
for flags in 0 1 8; do
	start_calls threads 4 25000
	echo "$flags pid=$pid vaddr=$vaddr flags=$flags handler=$((flags < 8))" >$client/set
	check "flags=$flags: a probe on a running process is registered" \
		sh -c "echo register $flags >$client/run"
	go_on
	wait_for "sum of work"
	is "$(hits $flags)" 100000 "flags=$flags: all hits are counted"
	echo "unregister $flags" >$client/run
	check "flags=$flags: the text equals the file after unregistering" "$progs/textcmp" "$pid"
	end_calls
	is "$(tail -n 1 "$out")" "$("$progs/calls" threads 4 25000)" \
		"flags=$flags: the program's result equals that of an unprobed run"
done
