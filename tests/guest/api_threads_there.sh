#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a probe reaches the threads that a process has when it comes, each of them
# once: what decides here is the module, in the same way on all kernels
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 10

prog=$progs/calls
# No more at once than half of what is kept ready for threads of which nothing is known: on a busy
# machine it may not be made up for between two processes.
plain=$("$prog" sleepers 100 8)
# Behind the system call that the threads sleep in.
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
		is "$(hits $n) $(missed $n)" "100 0" "$what: all 100 threads that slept hit it"
		end_calls
		is "$? $(tail -n 1 "$out")" "0 ${plain##*$'\n'}" "$what: as unprobed"
		run unregister $n
		n=$((n + 1))
	done
done
is "$("$prog" sleepers 100 8)" "$plain" "the program, unprobed again"
is "$(awk '$2' $client_dir/state)" "" "nothing is registered any more"
