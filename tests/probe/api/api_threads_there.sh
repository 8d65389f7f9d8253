#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a probe counts hits of every thread that the process had before the probe was registered
# once: the module's own code decides this, and it is the same on all kernels
# cpus: 2 with FULL=1
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 10

prog=$progs/calls
# The number of threads is half of the reserve of task states. If the machine is busy, the module may
# not refill the reserve between two processes.
plain=$("$prog" sleepers 100 8)
# The instruction that follows the system call in which the threads sleep.
end=$(objdump -d --no-show-raw-insn --disassemble=sleeper "$prog" | awk '$2 == "ret" { sub(/:/, "", $1); print "0x" $1; exit }')
first=$(instructions "$prog" sleeper | head -n 1)
n=0
for scope in process file; do
	for flags in 0 1; do
		what="on a $scope, flags=$flags"
		start_calls sleepers 100 8
		go_on
		wait_for "all sleep"
		case $scope in
		process) set_probe $n path= pid="$pid" vaddr=$((vaddr - first + end)) flags=$flags ;;
		file) set_probe $n path="$prog" offset="$end" flags=$flags ;;
		esac
		run register $n
		go_on
		wait_for "slept"
		is "$(hits $n) $(missed $n)" "100 0" "$what: all 100 sleeping threads hit the probe"
		end_calls
		is "$? $(tail -n 1 "$out")" "0 ${plain##*$'\n'}" "$what: the result is the same as without probes"
		run unregister $n
		n=$((n + 1))
	done
done
is "$("$prog" sleepers 100 8)" "$plain" "after unregistering, the program's result is the same"
is "$(awk '$2' $client_dir/state)" "" "no probe is registered any more"
