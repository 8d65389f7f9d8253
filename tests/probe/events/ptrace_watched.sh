#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a watchpoint on memory that a probed instruction writes stops the program as without the probe
# once: the result depends on the module only, not on the kernel
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
# This hangs a guest that QEMU emulates, even without probes.
[ -z "${SINGLE_STEP:-}" ] || skip_all "a watchpoint and a step would come in one trap"
ktap_plan 10

prog=$progs/watched

# watched N SYMBOL HOW FLAGS [call]: FLAGS 1 is atomic
watched() {
	set_probe $1 path="$prog" offset="0x$(symbol "$prog" $2)" flags=$4
	run register $1
	is "$(timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) "$prog" 20 $5)" "$unprobed" "$3: the watchpoint stops the program as unprobed"
	is "$(hits $1)" 20 "$3: each execution is a hit"
	run unregister $1
}

unprobed=$("$prog" 20)
is "$unprobed" "20 20 0 0" "unprobed, each write stops the program behind the instruction"
watched 0 store_at "in the trap" 1
watched 1 store_at "in task context" 0
unprobed=$("$prog" 20 call)
is "$unprobed" "20 20 0 0" "unprobed, each call that writes its return address stops the program at the function called"
watched 2 through_at "a call, in the trap" 1 call
watched 3 through_at "a call, in task context" 0 call
