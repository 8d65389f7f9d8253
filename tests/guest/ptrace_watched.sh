#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a debugger's watchpoint on what a probed instruction writes stops the program as without the probe
# once: what decides here is the module, in the same way on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 5

prog=$progs/watched
unprobed=$("$prog" 20)
is "$unprobed" "20 20 0 0" "unprobed, each write stops the program behind the instruction"

# watched N HOW FLAGS: 1 is atomic
watched() {
	set_probe $1 path="$prog" offset="0x$(symbol "$prog" store_at)" flags=$3
	run register $1
	is "$("$prog" 20)" "$unprobed" "$2: as unprobed"
	is "$(hits $1)" 20 "$2: each is a hit"
	run unregister $1
}
watched 0 "in the trap" 1
watched 1 "in task context" 0
# A step and a watchpoint in one trap hang a guest that QEMU emulates, also unprobed.
