#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: forks of a program that counts without a trap lose and repeat no hit, in parent and child
# once: jump_foreign covers the differences between kernels
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
ktap_plan $((jumping + 4))

jump 1
jumps_begin
# shellcheck disable=SC2086
count_begin "$prog" $(offsets_of $entries $inside)
check "the program counts without a trap" hot $jumping
like "$(say fork 50)" ", 0 wrong\$" "parents and children compute what they should"
check "the parent gets its jumps again" hot $jumping
for name in $entries $inside; do
	[ $name = compares ] || is "$(count_of $name)" $((called + 2000)) "$name: all hits are counted"
done
count_end
check "the text is that of the file" "$progs/textcmp" "$pid"
