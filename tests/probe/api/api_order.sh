#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: handlers are called in the order of registration, return handlers in reverse, and may change registers
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 25

# order: call work() once, and print the order of the handlers.
order() {
	echo >$client_dir/order
	step call 1 >/dev/null
	cat $client_dir/order
}

steps
for flags in 0 1; do
	how="flags=$flags"
	base=$((10 * flags))
	for i in 2 0 1; do
		set_probe $((base + i)) pid="$pid" vaddr="$work" flags=$flags
		run register $((base + i))
		set_probe $((base + 3 + i)) pid="$pid" vaddr="$work" flags=$flags returns=1
		run register $((base + 3 + i))
	done
	is "$(order)" "$((base + 2)) $base $((base + 1)) $((base + 4)) $((base + 3)) $((base + 5))" \
		"$how: handlers run in the order of registration, return handlers in reverse"
	run unregister $base
	run unregister $((base + 5))
	is "$(order)" "$((base + 2)) $((base + 1)) $((base + 4)) $((base + 3))" \
		"$how: after unregistering some, the others keep their order"
	run register $base
	run register $((base + 5))
	is "$(order)" "$((base + 2)) $((base + 1)) $base $((base + 5)) $((base + 4)) $((base + 3))" \
		"$how: a probe that is registered again comes last"
	for i in $base $((base + 1)) $((base + 2)); do
		run unregister "$i"
		run unregister $((i + 3))
	done
done

# Both kinds at one address: handlers that may sleep come after those that may not.
set_probe 30 pid="$pid" vaddr="$work" flags=0
set_probe 31 pid="$pid" vaddr="$work" flags=1
run register 30
run register 31
is "$(order)" "31 30" "handlers in the trap run first"
run unregister 30
run unregister 31

# work(x) is 3 (x + 100) + 1.
plain=$(step call 2)
for flags in 0 1; do
	how="flags=$flags"
	n=$((40 + 4 * flags))
	set_probe $n pid="$pid" vaddr="$work" flags=$flags action=change other=7
	set_probe $((n + 1)) pid="$pid" vaddr="$work" flags=$flags action=change other=9
	set_probe $((n + 2)) pid="$pid" vaddr="$work" flags=$flags returns=1 action=change other=1000
	set_probe $((n + 3)) pid="$pid" vaddr="$work" flags=$flags returns=1 action=change other=5
	run register $n
	is "$(step call 2)" "call $((2 * (3 * (7 + 100) + 1)))" "$how: a handler can change the argument"
	run register $((n + 1))
	is "$(step call 2)" "call $((2 * (3 * (9 + 100) + 1)))" "$how: the last handler decides the argument"
	run register $((n + 2))
	is "$(step call 2)" "call 2000" "$how: a return handler can change the return value"
	run register $((n + 3))
	is "$(step call 2)" "call 2000" \
		"$how: the last return handler, which was registered first, decides the return value"
	run unregister $n
	run unregister $((n + 1))
	run unmap $((n + 2))
	is "$(step call 2)" "call 10" "$how: unmap_uretprobe() unregisters a return probe"
	run unregister $((n + 3))
done
run register 40
run unmap 40
is "$(step call 2) $(registered 40)" "$plain 0" "unmap_uprobe() unregisters a probe"
set_probe 52 path="$progs/steps" offset="$(file_offset "$progs/steps" work)"
check "uprobe_check() accepts a valid place" run check 52
is "$(registered 52)" 0 "uprobe_check() does not register the probe"
set_probe 53 path="$progs/steps" offset=1000000000
check_fails "uprobe_check() refuses an invalid place" run check 53
# A client may report the end of a mapping only after it has gone.
lib=$progs/steps_library
step load "$lib" >/dev/null
at=$(symbol_in "$pid" "$lib" library_work)
set_probe 50 pid="$pid" vaddr="$at" flags=1
set_probe 51 pid="$pid" vaddr="$at" flags=0 returns=1
run register 50
run register 51
step unload >/dev/null
run unmap 50
run unmap 51
is "$(registered 50) $(registered 51)" "0 0" "unmap_uprobe() and unmap_uretprobe() work after the mapping has gone"
is "$(step load "$lib")" "library 0" "the program loads the library again"
run register 50
run register 51
step forklib 4 >/dev/null
is "$(tail -n 1 "$out")" "library returned 20" "the library can be probed again, with the right result"
run unmap 50
run unmap 51
end_steps
is $? 0 "the program ends with status 0"
