#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: modprobe and modprobe -r of uprobes are for both modules, and a client needs uprobes.ko alone
# full: other tests load and unload the modules by insmod and rmmod
# once: kmod does not depend on the kernel
# needs: modprobe depmod
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 17

control=/sys/kernel/debug/uprobes
kernel=$(uname -r)
modules=$tmp/lib/modules/$kernel
mkdir -p "$modules"
cp "$UPROBES_KO" "$UPROBES_TRACE_KO" "$UPROBES_SAMPLES/uprobe_count.ko" "$modules"
touch "$modules/modules.order" "$modules/modules.builtin"
depmod -b "$tmp" "$kernel"

# modprobe runs the command of packaging/modprobe.conf, which runs modprobe.
export MODPROBE_OPTIONS="-d $tmp -C $UPROBES_TOP/packaging/modprobe.conf"
# loaded: print which of the modules are loaded.
loaded() { awk '/^upr/ { print $1 }' /proc/modules | sort | xargs; }

rmmod uprobes_trace uprobes
check "modprobe uprobes succeeds" modprobe uprobes
is "$(loaded)" "uprobes uprobes_trace" "it loads both modules"
check "modprobe -r uprobes succeeds" modprobe -r uprobes
is "$(loaded)" "" "it removes both modules"
check "modprobe uprobes_trace succeeds" modprobe uprobes_trace
is "$(loaded)" "uprobes uprobes_trace" "it loads both modules"

exec 4<$control/trace_pipe
check_fails "modprobe -r uprobes fails while a file of the tracer is open" modprobe -r uprobes
is "$(loaded)" "uprobes uprobes_trace" "both modules stay"
exec 4<&-
check "modprobe -r uprobes_trace succeeds" modprobe -r uprobes_trace
is "$(loaded)" "" "it removes uprobes, which nothing uses any more"

# A client, without the tracer.
check "uprobes.ko loads" insmod "$UPROBES_KO"
check_fails "there is no control directory" test -e $control
start_calls threads 2 100
check "a client loads" insmod "$UPROBES_SAMPLES/uprobe_count.ko" pid="$pid" vaddr="$vaddr"
go_on
wait_for "sum of work"
is "$(param uprobe_count hits)" 200 "its probe has all hits"
check "client and module unload" rmmod uprobe_count uprobes
is "$(loaded)" "" "nothing is left"
check "the program ends as without a probe" end_calls
load_module
