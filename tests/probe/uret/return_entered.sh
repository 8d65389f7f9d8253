#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a return probe exchanges a word on the stack only if it is a return address, whoever has put it there
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

returning="called called_there pushed pushed_there on_signal on_switch"
jumped="over_zero over_number over_pointer over_stack over_remapped"
ktap_plan 24

prog=$progs/entered
plain=$("$prog" 20)
n=0
for flags in 1 0; do
	first=$n
	for function in $returning $jumped; do
		set_probe $n path="$prog" offset="0x$(symbol "$prog" "$function")" returns=1 flags=$flags
		n=$((n + 1))
	done
	# These breakpoints cover the call instructions, which tell the module what a return address is.
	for call in probed_call probed_call_by_register; do
		set_probe $n path="$prog" offset="0x$(symbol "$prog" $call)" flags=1
		n=$((n + 1))
	done
	run register $first-$((first + 10))
	run register $((first + 11))-$((first + 12))
	is "$("$prog" 20)" "$plain" "flags=$flags: the output is the same as unprobed"
	run unregister $first-$((first + 10))
	run unregister $((first + 11))-$((first + 12))
	i=$first
	for function in $returning; do
		wanted="20 0"
		[ $function != called ] || wanted="180 0"
		is "$(hits $i) $(missed $i)" "$wanted" "flags=$flags: $function: each return is counted"
		i=$((i + 1))
	done
	for function in $jumped; do
		is "$(hits $i) $(missed $i)" "0 20" "flags=$flags: $function: each call is missed"
		i=$((i + 1))
	done
done
