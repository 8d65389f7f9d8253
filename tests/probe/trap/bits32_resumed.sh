#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a hit of a 32-bit program counts once even if a signal handler has changed registers that only 64-bit code has
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 120
# needs: /usr/lib32/libc.so.6
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 2

prog=$progs/flags32
set_probe 0 path="$prog" offset="0x$(symbol "$prog" work)" action=await other=60000
run register 0
: >"$out"
"$prog" >"$out" &
wait_for .
until_is 1 calls 0
# Send the signal to the thread, like a fault does. Then it does not wait for the instruction.
kill -USR1 "$(head -n 1 "$out")"
wait $!
is "$? $(sed 1d "$out")" "0 7 1" "the program has the right result, and gets one signal"
is "$(hits 0)" 1 "the hit is counted once"
