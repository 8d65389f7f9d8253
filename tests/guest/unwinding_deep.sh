#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: stacks with very many return-probed calls are walked, also where they go on elsewhere, and only calls of the thread that walks are missed
# once: who unwinds is the program
# cpus: 2
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 4

prog=$progs/unwinds_deep
depth=3000 times=3
plain=$("$prog" $depth $times)
like "$plain" "caught 3, in a thread 3
from a stack that goes on elsewhere 3, in a thread 3
frames from a signal's stack: 30[0-9][0-9]" "unprobed: exceptions are caught, and frames seen"
set_probe 0 path="$prog" offset="0x$(symbol "$prog" probed_deep)" returns=1 flags=1
run register 0
is "$("$prog" $depth $times)" "$plain" "as unprobed"
# Three threads that wait, and return.
check "what other threads had under way has returned" [ "$(hits 0)" -ge $((3 * (depth + 1))) ]
is $(($(hits 0) + $(missed 0))) $(((4 * times + 1 + 3) * (depth + 1))) "each call is accounted for"
diag "$(hits 0) hits, $(missed 0) missed"
run unregister 0
