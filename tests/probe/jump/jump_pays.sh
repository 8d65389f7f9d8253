#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a jump stays while it saves more traps than it causes, if its pad records hits, too
# full: it calls functions until many traps have been counted; jump_covered has pads that count
# once: jump_foreign covers the differences between kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
ktap_plan 4

# jumps_are N: check how many jumps there are.
jumps_are() {
	[ "$(jumps)" = "$1" ]
}

# again N COMMAND NUMBER: execute the command until there are N jumps.
again() {
	for _ in $(tries 200); do
		say "$2 $3" >/dev/null
		[ "$(jumps)" -lt "$1" ] || return 0
	done
	echo "# there are $(jumps) jumps"
	return 1
}

jump 1
jumps_begin
# The hits are recorded: 20,000, and 10,000 traps at the second instruction.
exec 5<>$control/session
echo "p:spin $prog:$(offset_of spin) n=%di:s32" >&5
check "a function whose hits are recorded gets a jump" again 1 spins 100
say spins 10000 >/dev/null
sleep 0.5
is "$(jumps)" 1 "it keeps the jump if threads execute what it covers, but the place itself more often"
say loop 3000 >/dev/null
say loop 3000 >/dev/null
check "it loses the jump otherwise" in_time jumps_are 0
exec 5>&-
check "the program ends as it should" jumps_end
