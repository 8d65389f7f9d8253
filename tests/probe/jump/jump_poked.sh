#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: what a program writes to its text through /proc has its effect, also behind the bytes of a jump
# once: jump_foreign covers the differences between kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 4

is "$("$progs/poked")" "0 jumps, 0 wrong" "unprobed, the program sees what it has written"
cp "$progs/poked" "$tmp/poked"
jump 1
for arguments in "" arguments; do
	count_begin "$tmp/poked" "0x$(symbol "$tmp/poked" two)"
	# shellcheck disable=SC2086
	is "$("$tmp/poked" jumps $arguments)" "2 jumps, 0 wrong" \
		"with jumps, it does, too${arguments:+, wherever it says that its arguments are}"
	[ -n "$arguments" ] || isnt "$(counts | awk '{ print $2 }')" 0 "hits were counted"
	count_end
done
