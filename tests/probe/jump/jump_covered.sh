#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: what a jump covers can be executed from anywhere, and all hits are counted
# once: jump_foreign covers the differences between kernels
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
ktap_plan 19

# jumps_are N: check how many jumps there are.
jumps_are() {
	[ "$(jumps)" = "$1" ]
}

is "$("$progs/jump_bytes")" "" "each byte that must trap does so on this processor"
jump 1
jumps_begin
# shellcheck disable=SC2086
count_begin "$prog" $(offsets_of $entries $inside spin)
check "each place gets a jump, except where it would cover another one" hot $jumping
like "$(say threads 20000)" ", 0 wrong\$" "the threads' results are right"
say loop 100 >/dev/null
say loop 100 >/dev/null
check "the loop gets a jump" in_time jumps_are $((jumping + 1))
# 10,000 traps at the second instruction; 20,000 hits.
say spins 10000 >/dev/null
sleep 0.5
is "$(jumps)" $((jumping + 1)) "a place keeps its jump if threads execute what it covers, but the place itself more often"
like "$(say loop 3000)" ", 0 wrong\$" "a loop to a covered instruction goes on"
say loop 3000 >/dev/null
check "a place gets its breakpoint back if threads often execute what its jump covers" \
	in_time jumps_are $jumping
like "$(say call 10)" ", 0 wrong\$" "all results were right"
for name in $entries $inside; do
	is "$(count_of $name)" $((called + 80010)) "$name: all hits are counted"
done
is "$(count_of spin)" 20004 "all hits of the loop's function are counted"
count_end
check "the text is that of the file" "$progs/textcmp" "$pid"
