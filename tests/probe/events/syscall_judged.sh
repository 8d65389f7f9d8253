#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: seccomp filters and syscall user dispatch see a probed system call at the address where the program makes it
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 7

prog=$progs/judged
plain=$("$prog")
is "$plain" "from the range: 100, dispatched 0
from elsewhere: 0, dispatched 100, +0, +0
filtered by place: 100
filtered by number: 1, +0, +0" "unprobed: filters and dispatch go by the address of the call"

n=0
for flags in 0 1; do
	set_probe $n path="$prog" offset="0x$(symbol "$prog" the_syscall)" flags=$flags
	check "flags=$flags: the system call is probed" run register $n
	is "$("$prog")" "$plain" "flags=$flags: the output is the same as unprobed"
	is "$(hits $n)" 301 "flags=$flags: each system call is a hit"
	run unregister $n
	n=$((n + 1))
done
