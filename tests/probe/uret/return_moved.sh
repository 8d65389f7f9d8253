#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a function that moves its return address within the stack returns through the return probe
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 12

prog=$progs/moves_return
plain=$("$prog" 100)
# Each is called 100 times, and 450 times by nested(), which is called 550 times.
n=0
for flags in 1 0; do
	first=$n
	for function in moves_up moves_and_wipes moves_down nested; do
		set_probe $n path="$prog" offset="0x$(symbol "$prog" $function)" returns=1 flags=$flags
		n=$((n + 1))
	done
	run register $first-$((n - 1))
	is "$("$prog" 100)" "$plain" "flags=$flags: the output is the same as unprobed"
	run unregister $first-$((n - 1))
	i=$first
	for function in moves_up moves_and_wipes moves_down nested; do
		is "$(hits $i) $(missed $i)" "550 0" "flags=$flags: $function: each return is counted"
		i=$((i + 1))
	done
done

# Return addresses of such functions are exchanged: their return instructions are elsewhere on the stack.
is "$(uprobe count -c "$prog 100" "r:$prog:moves_*" 2>&1 | awk '$2 ~ /^moves_/ { print $1 }' | paste -sd ' ')" \
	"550 550 550" "uprobe counts all returns"
is "$(uprobe lat -c "$prog 100" "$prog:moves_up" 2>&1 | grep -o '[0-9]* calls' | head -n 1)" "550 calls" "uprobe times all calls"
