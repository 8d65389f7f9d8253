#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: if a thousand threads sleep in return-probed calls while the module unloads, they return to the right place
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 6

start_calls sleepers 1000 8
check "a return probe is registered" \
	insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" pid="$pid" vaddr="$vaddr"
go_on
wait_for "all sleep"
set -- /proc/"$pid"/task/*
is $# 1001 "a thousand threads are in the probed function"
is "$(param uretprobe_sum returns)" 0 "no call has returned yet"
rmmod uretprobe_sum
check "the module unloads" rmmod uprobes_trace uprobes
go_on
wait_for "slept"
is "$(tail -n 1 "$out")" "slept 8000" "all calls return, with their values"
end_calls
check "the module loads again" load_module
