#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: return probes work with coroutines, signal stacks, jumps out of calls, tail calls, returns that pop arguments
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 25

prog=$progs/stacks
plain=$("$prog")
functions="probed_yields probed_in_handler probed_raises probed_struct probed_pops probed_left probed_tail probed_end probed_rep"
n=0
for flags in 0 1; do
	first=$n
	for function in $functions; do
		set_probe $n path="$prog" offset=0x"$(symbol "$prog" "$function")" returns=1 flags=$flags
		n=$((n + 1))
	done
	check "flags=$flags: all functions are return-probed" run register $first-$((n - 1))
	is "$("$prog")" "$plain" "flags=$flags: the output is the same as unprobed"
	run unregister $first-$((n - 1))
	i=$first
	for function in $functions; do
		is "$(hits $i)" "$(echo "$plain" | awk -v f="$function" '$2 == f { print $3 }')" \
			"flags=$flags: all returns of $function are counted"
		i=$((i + 1))
	done
done
is "$(awk '$4' $client_dir/state)" "" "no hit is missed"
set_probe 100 path="$(ldd "$prog" | awk '/libc.so/ { print $3 }')" returns=1
set_probe 100 offset="$(uprobe offset libc _setjmp | sed 's/.*:0x/0x/')"
check_fails "a return probe on a function that keeps its return address is refused" run register 100
set_probe 101 path="$prog" returns=1
set_probe 101 offset="$(uprobe offset "$prog" next_of | sed 's/.*:0x/0x/')"
check_fails "so is one on a function that ends in a jump to dlsym()" run register 101
