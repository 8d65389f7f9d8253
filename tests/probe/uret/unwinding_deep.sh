#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: stacks of very many return-probed calls can be walked, in several pieces, too; other threads miss no calls
# once: the program unwinds its stack, not the kernel
# cpus: 2 with FULL=1
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 4

prog=$progs/unwinds_deep
depth=3000 times=3
plain=$("$prog" $depth $times)
like "$plain" "caught 3, in a thread 3
from a stack that goes on elsewhere 3, in a thread 3
frames from a signal's stack: 30[0-9][0-9]" "unprobed: the program catches its exceptions and sees its frames"
set_probe 0 path="$prog" offset="0x$(symbol "$prog" probed_deep)" returns=1 flags=1
run register 0
is "$("$prog" $depth $times)" "$plain" "the output is the same as unprobed"
# Three threads wait in their calls, then return.
check "calls that other threads had under way return and are counted" [ "$(hits 0)" -ge $((3 * (depth + 1))) ]
is $(($(hits 0) + $(missed 0))) $(((4 * times + 1 + 3) * (depth + 1))) "each call is a hit or a miss"
diag "$(hits 0) hits, $(missed 0) missed"
run unregister 0
