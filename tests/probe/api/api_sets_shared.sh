#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: processes with the same probes at a place share the list of their probes
# full: api_enable and api_file_all_processes have the hits
# once: the sets are the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 17

# sets: print the number of lists that were made since the last time.
made=0
sets() {
	local before=$made

	made=$(awk '$1 == "consumer.consumer_set_alloc.kzalloc" { print $3 }' /sys/kernel/debug/uprobes-inject)
	echo $((made - before))
}
# expect NEW WHAT: check how many lists were made.
expect() {
	sets >"$tmp/new"
	is "$(<"$tmp/new")" "$1" "$2 makes $1 lists"
}
# called: let the program and a new one call the function three times each.
called() {
	[ "$(step call 3)" = "call 912" ] && [ "$(echo call 3 | "$progs/steps" | tail -n 1)" = "call 912" ]
}

offset=$(file_offset "$progs/steps" work)
steps
mkfifo "$tmp/idle"
exec 7<>"$tmp/idle"
for _ in {1..12}; do
	"$progs/steps" <&7 >"$tmp/idle_out" &
	idle="${idle:-} $!"
done
at_exit 'kill $idle 2>/dev/null; echo off >/sys/module/uprobes/parameters/inject'
# Sets of probes whose handlers run in the trap are shared, as no hit takes a reference to them.
# Calls are counted while one is to fail, which is never reached.
echo '*:1000000000' >/sys/module/uprobes/parameters/inject
sets >/dev/null

for n in 0 1 3; do
	set_probe $n path="$progs/steps" offset="$offset" flags=8 handler=0
done
set_probe 2 pid="$pid" vaddr="$work"
run register 0
expect 0 "the only probe of thirteen processes"
run register 1
expect 1 "a second probe"
check "the function is called" called
is "$(hits 0) $(hits 1)" "6 6" "both count the calls of an old process and of a new one"
expect 0 "the new process"
run register 2
expect 1 "a probe on one of the processes"
check "the function is called" called
is "$(hits 0) $(hits 1) $(hits 2)" "12 12 3" "it counts the calls of that process"
run unregister 2
expect 0 "its end"
run disable 1
expect 0 "disabling one of two probes"
run enable 1
expect 1 "enabling it again"
run register 3
expect 1 "a third probe on the file"
check "the function is called" called
is "$(hits 0) $(hits 1) $(hits 3)" "18 18 6" "all three count the calls"
# What this needs cannot fail, and is not counted.
run unregister 1
run unregister 3
check "the function is called" called
is "$(hits 0) $(hits 1) $(hits 3)" "24 18 6" "the last one counts the calls"
run unregister 0
check "the text equals the file" "$progs/textcmp" "$pid"
