#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a place that has lost its jump for a reason that passes gets it again later
# full: it calls functions until many traps have been counted; jump_covered has one such place
# once: jump_foreign covers the differences between kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
ktap_plan 15

# jumps_are N: check how many jumps there are.
jumps_are() {
	[ "$(jumps)" = "$1" ]
}

# again N COMMAND NUMBER: execute the command until there are N jumps.
again() {
	for _ in $(tries 200); do
		say "$2 $3" >/dev/null
		did=$((did + $3))
		[ "$(jumps)" -lt "$1" ] || return 0
	done
	echo "# there are $(jumps) jumps"
	return 1
}

jump 1
jumps_begin
# shellcheck disable=SC2046
count_begin "$prog" $(offsets_of spin loads)
did=0
check "a function with a loop gets a jump" again 1 spins 100
say loop 3000 >/dev/null
say loop 3000 >/dev/null
check "it has lost the jump when the loop has often been executed" in_time jumps_are 0
check "it gets its jump again later" again 1 spins 2000
spun=$((2 * did + 2)) did=0
check "a function that may fault gets a jump" again 2 load 100
like "$(say repair)" ", 0 wrong\$" "it faults, and is executed anew"
is "$(jumps)" 1 "a thread that comes back needs the trap"
check "when the thread has come back, the place gets its jump again" again 2 load 2000
say leave >/dev/null
check "it gets its jump again when a thread that never came back has ended" again 2 load 2000
say abandon >/dev/null
for _ in 1 2 3 4 5; do
	say load 20000 >/dev/null
done
is "$(jumps)" 1 "while there is a thread that may come back, the place has no jump"
like "$(say load 1)" ", 0 wrong\$" "all results were right"
is "$(count_of spin)" $spun "all hits of the loop's function are counted"
is "$(count_of loads)" $((did + 100004)) "all hits of the function that faults are counted, once each"
count_end
wait_until "there is no jump" jumps_are 0

# Its hits are recorded: 20,000, and 10,000 traps at the second instruction.
exec 5<>$control/session
echo "p:spin $prog:$(offset_of spin) n=%di:s32" >&5
check "a function whose hits are recorded gets a jump" again 1 spins 100
say spins 10000 >/dev/null
sleep 0.5
is "$(jumps)" 1 "it keeps the jump if threads execute what it covers, but the place itself more often"
say loop 3000 >/dev/null
say loop 3000 >/dev/null
check "it loses the jump otherwise" in_time jumps_are 0
