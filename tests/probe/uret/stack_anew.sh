#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: if two threads have entered calls at one place of a stack, a return there is that of the later call
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 9

prog=$progs/anew
plain=$(echo | "$prog")
is "$(echo "$plain" | tail -n 1)" "16 places were used again" \
	"unprobed: calls are entered at places where others were left"
n=0
for flags in 0 1; do
	set_probe $n path="$prog" offset="0x$(symbol "$prog" probed_call)" returns=1 flags=$flags
	run register $n
	is "$(echo | "$prog")" "$plain" "flags=$flags: the output is the same as unprobed"
	run unregister $n
	is "$(hits $n) $(missed $n)" "16 0" "flags=$flags: each return is counted"
	n=$((n + 1))
done

set_probe 2 path="$prog" offset="0x$(symbol "$prog" probed_call)" returns=1
run register 2
start_program suspended "$prog"
run unregister 2
rmmod uprobe_client
check "the module unloads while calls are suspended" rmmod uprobes_trace uprobes
end_calls
is $? 0 "the program ends with status 0"
is "$(cat "$out")" "$plain" "after unloading, the output is the same as unprobed"
check "the module loads again" load_module
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
