#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: instructions that reach into the next page are probed, wherever the page ends
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

prog=$tmp/edge
cp "$UPROBES_TOP/build/progs/edge" "$prog"

ktap_plan 5
clear
"$prog" >"$tmp/plain"
for i in {1..9}; do
	define "p:e$i $(where edge_$i)"
	define "r:r$i $(where edge_$i) value=\$retval:x64"
done
check "all are enabled" enable
"$prog" >"$tmp/probed"
is "$(cat "$tmp/probed")" "$(cat "$tmp/plain")" "the program is what it was"
is "$(lines | grep -c ': e[1-9]: (') $(lines | sed -n 's/.*: r[1-9]: .*value=0x//p')" \
	"9 $(cat "$tmp/plain")" "each is hit once, and returns"
clear

# Where a breakpoint has been, the program's own is no late trap, wherever the instruction ends.
mkfifo "$tmp/in"
"$prog" traps <"$tmp/in" >"$tmp/own" &
exec 3>"$tmp/in"
wait_until "the program is ready" grep -q ready "$tmp/own"
define "p:e2 $(where edge_2)"
check "a place is probed in a program that runs" enable
clear
echo >&3
exec 3>&-
wait $!
is "$(tail -n 1 "$tmp/own")" "trapped" "a breakpoint of the program's own there is seen by it"
