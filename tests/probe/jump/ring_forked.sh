#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a child that is forked while its parent gets rings does not inherit them
# once: ring_ends covers the differences between kernels
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 3

processes=20
[ -z "${FULL:-}" ] || processes=300
prog=$tmp/inherits
cp "$UPROBES_TOP/build/progs/inherits" "$prog"
jump 1
clear
define "p:hot $(where hot) a=%di"
enable
read -r children _ inherited _ mapped _ < <("$prog" $processes)
disable
check "$children children were forked" [ "$children" -ge $((processes * 2)) ]
is "$inherited" 0 "none had memory that the parent's pads write to"
isnt "$mapped" 0 "$mapped of $processes processes had such memory"
clear
