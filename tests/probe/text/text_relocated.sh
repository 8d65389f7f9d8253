#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a place whose instruction ld.so relocates after it is mapped executes what is there then
# once: the module decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 6

cp "$progs/relocated" "$tmp/relocated"
get=0x$(symbol "$tmp/relocated" get)
is "$("$tmp/relocated")" "42 42 42" "unprobed, the program prints its number"

set_probe 0 path="$tmp/relocated" offset="$get" flags=1
set_probe 1 path="$tmp/relocated" offset="$get" flags=1
run register 0-1
is "$("$tmp/relocated")" "42 42 42" "probed, it does, too"
is "$(hits 0) $(hits 1)" "3 3" "each call is a hit"
run unregister 0-1

# What the file has there is not what the program executes.
set_probe 2 path="$tmp/relocated" offset="$get" flags=1 \
	expect="$(od -An -tx1 -j "$get" -N 10 "$tmp/relocated" | tr -d ' ')"
dmesg -C
run register 2
is "$("$tmp/relocated")" "42 42 42" "a probe that expects the bytes of the file leaves the program alone"
is "$(hits 2)" 0 "such a probe has no hits"
like "$(dmesg)" "other bytes \(48 b8 .*\) than the caller expects \(48 b8" "the log says why"
run unregister 2
