#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each general register can be an argument and has the program's value, at function entries and at returns
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

cp "$UPROBES_TOP/build/progs/registers" "$tmp/registers"
changed=$(where changed "$tmp/registers")
registers="ip=%ip sp=%sp"
for flag in cf=b1@0 pf=b1@2 af=b1@4 zsf=b2@6 of=b1@11; do
	registers="$registers ${flag%=*}=%flags:${flag#*=}/32"
done
for register in ax bx cx dx si di bp r8 r9 r10 r11 r12 r13 r14 r15; do
	registers="$registers $register=%$register"
done

# in_trap: print for each line whether interrupts were off.
in_trap() {
	lines | sed -E 's/.* \[[0-9]+\] (.).*/\1/' | tr -d '\n'
}

ktap_plan 6
for where in "the trap" "task context"; do
	clear
	# %di points to an absent page, so that reading there takes task context.
	more=
	[ "$where" = "the trap" ] || more=" byte=+0(%di):u8"
	define "p:entry $changed $registers$more"
	define "r:exit $changed $registers$more"
	enable
	"$tmp/registers" >"$tmp/said"
	disable
	is "$(lines | fields | sed 's/: ([^)]*)/:/; s/ byte=[0-9]*$//')" "$(cat "$tmp/said")" \
		"in $where: all registers have the program's values"
	is "$(wc -l <"$tmp/said")" 6 "in $where: the program has made all calls, and finds its registers unchanged"
	if [ "$where" = "the trap" ]; then
		is "$(in_trap)" dddddd "in $where: all records were made with interrupts off"
	else
		like "$(in_trap)" '^[^d]{6}$' "in $where: all records were made with interrupts on"
	fi
done
clear
