#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a debugger's watchpoint on what a probed instruction writes stops the program as without the probe
# once: what decides here is the module, in the same way on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
# It hangs a guest that QEMU emulates, also where nothing is probed.
[ -z "${SINGLE_STEP:-}" ] || skip_all "a watchpoint and a step would come in one trap"
ktap_plan 10

prog=$progs/watched

# watched N SYMBOL HOW FLAGS [call]: FLAGS 1 is atomic
watched() {
	set_probe $1 path="$prog" offset="0x$(symbol "$prog" $2)" flags=$4
	run register $1
	is "$(timeout 60 "$prog" 20 $5)" "$unprobed" "$3: as unprobed"
	is "$(hits $1)" 20 "$3: each is a hit"
	run unregister $1
}

unprobed=$("$prog" 20)
is "$unprobed" "20 20 0 0" "unprobed, each write stops the program behind the instruction"
watched 0 store_at "in the trap" 1
watched 1 store_at "in task context" 0
unprobed=$("$prog" 20 call)
is "$unprobed" "20 20 0 0" "unprobed, each call that writes its return address stops where it goes"
watched 2 through_at "a call, in the trap" 1 call
watched 3 through_at "a call, in task context" 0 call
