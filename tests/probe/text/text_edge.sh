#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: an instruction that reaches into the next page can be probed, wherever the page ends
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

prog=$tmp/edge
cp "$UPROBES_TOP/build/progs/edge" "$prog"

ktap_plan 5
clear
"$prog" >"$tmp/plain"
for i in {1..9}; do
	define "p:e$i $(where edge_$i)"
	define "r:r$i $(where edge_$i) value=\$retval:x64"
done
check "all events are enabled" enable
"$prog" >"$tmp/probed"
is "$(cat "$tmp/probed")" "$(cat "$tmp/plain")" "the output is the same as unprobed"
is "$(lines | grep -c ': e[1-9]: (') $(lines | sed -n 's/.*: r[1-9]: .*value=0x//p')" \
	"9 $(cat "$tmp/plain")" "each function has one hit and one return, with its value"
clear

# If the program puts its own breakpoint where ours has been, its trap is not taken for a late one.
mkfifo "$tmp/in"
"$prog" traps <"$tmp/in" >"$tmp/own" &
exec 3>"$tmp/in"
wait_until "the program is ready" grep -q ready "$tmp/own"
define "p:e2 $(where edge_2)"
check "an event is enabled in a running program" enable
clear
echo >&3
exec 3>&-
wait $!
is "$(tail -n 1 "$tmp/own")" "trapped" "the program gets the trap of its own breakpoint at that place"
