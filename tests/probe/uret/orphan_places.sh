#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the module unloads while threads are in return-probed calls on stacks where other threads ended in such a call
# once: the result depends on the module only, not on the kernel
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 5

prog=$progs/reused
plain=$(echo | "$prog")
n=0
for function in probed_end probed_wait; do
	set_probe $n path="$prog" offset="0x$(symbol "$prog" $function)" returns=1
	n=$((n + 1))
done
run register 0-1
start_program waiting "$prog"
run unregister 0-1
rmmod uprobe_client
check "the module unloads" rmmod uprobes_trace uprobes
end_calls
is $? 0 "the program ends with status 0"
is "$(cat "$out")" "$plain" "the output is the same as unprobed"
is "$(tail -n 1 "$out")" "16 places were used again" "all calls were on stacks that were used before"
check "the module loads again" load_module
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
