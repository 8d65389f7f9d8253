#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each general register is an argument that has what the program has in it, where a function begins and where it has returned
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

cp "$UPROBES_TOP/build/progs/registers" "$tmp/registers"
changed=$(where changed "$tmp/registers")
registers="ip=%ip sp=%sp"
for flag in cf=b1@0 pf=b1@2 af=b1@4 zsf=b2@6 of=b1@11; do
	registers="$registers ${flag%=*}=%flags:${flag#*=}/32"
done
for register in ax bx cx dx si di bp r8 r9 r10 r11 r12 r13 r14 r15; do
	registers="$registers $register=%$register"
done

# in_trap: for each line, whether interrupts were off.
in_trap() {
	lines | sed -E 's/.* \[[0-9]+\] (.).*/\1/' | tr -d '\n'
}

ktap_plan 6
for where in "the trap" "task context"; do
	clear
	# What is read at %di is not in memory: that takes task context.
	more=
	[ "$where" = "the trap" ] || more=" byte=+0(%di):u8"
	define "p:entry $changed $registers$more"
	define "r:exit $changed $registers$more"
	enable
	"$tmp/registers" >"$tmp/said"
	disable
	is "$(lines | fields | sed 's/: ([^)]*)/:/; s/ byte=[0-9]*$//')" "$(cat "$tmp/said")" \
		"in $where: all are those of the program"
	is "$(wc -l <"$tmp/said")" 6 "in $where: each call is seen, and has changed nothing else"
	if [ "$where" = "the trap" ]; then
		is "$(in_trap)" dddddd "in $where: interrupts were off"
	else
		like "$(in_trap)" '^[^d]{6}$' "in $where: they were on"
	fi
done
clear
