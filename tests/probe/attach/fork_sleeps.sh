#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a child whose fork sleeps while the module unloads runs unharmed
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 6

start_program . "$progs/slow_fork"
read -r pid vaddr <"$out"
check "the function that the child will call is probed" \
	insmod "$UPROBES_SAMPLES/uprobe_count.ko" pid="$pid" vaddr="$vaddr"
go_on
check "the fork sleeps after it has copied the address space" wait_for sleeps
check "the probe is unregistered" rmmod uprobe_count
rmmod uprobes_trace uprobes &
remover=$!
# initstate changes when the module begins to unload.
wait_until "the module begins to unload" sh -c '! grep -q live /sys/module/uprobes/initstate'
sleep 1
go_on
wait_for child
is "$(tail -n 1 "$out")" "the child returned 16" "the child is unharmed, though the module was unloading"
check "the module unloads" wait $remover
check "the module loads again" load_module
