#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: what the module maps is not locked, and does not count against the limit of locked memory
# once: the other kernels differ in how a file is mapped, which FULL=1 tries
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 5

prog=$tmp/locked
cp "$UPROBES_TOP/build/progs/locked" "$prog"
is "$("$prog")" "pieces: 16" "unprobed, 1 MiB can be locked"
jump 1
offset=$(where step)
count_begin "$prog" "${offset##*:}"
is "$("$prog")" "pieces: 16" "with pads and counters, it still can"
is "$(counts | awk '{ print $2 }')" 40000 "all hits were counted"
count_end
clear
define "p:step $(where step) a=%di"
define "r:back $(where step) b=\$retval"
enable
is "$("$prog")" "pieces: 16" "with rings and return probes, it still can"
disable
is "$(awk '$2 == "step" || $2 == "back" { print $3 }' $dir/uprobe_profile | paste -sd ' ')" "40000 40000" \
	"all hits were events"
clear
