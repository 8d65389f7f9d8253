#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: where any thread can return from a call and as many have been left as are kept, later ones are seen
# full: 262,144 calls that are left take a minute
# once: what decides here is the module, in the same way on all kernels
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 2

prog=$progs/roams_many
plain=$("$prog" 5 60000 leave)
set_probe 0 path="$prog" offset=0x"$(symbol "$prog" probed_pause)" returns=1 flags=1
set_probe 1 path="$prog" offset=0x"$(symbol "$prog" probed_deep)" returns=1 flags=1
run register 0-1
# RETPROBE_PROCESS_MAX is 262,144.
is "$("$prog" 5 60000 leave)" "$plain" "300,010 calls are left: as unprobed"
is "$(all_hits)" "11 1" "hits and misses: a call is missed while none has been left, ten later ones return"
run unregister 0-1
