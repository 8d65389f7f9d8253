#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: pads give way to memory that a program maps at a fixed address, while threads execute them
# once: what it relies on is the same on all kernels, and FULL=1 tries all
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 8

prog=$tmp/arena
cp "$progs/arena" "$prog"
fn=$(uprobe offset "$prog" fn)
jump 1
for how in "" replace; do
	# shellcheck disable=SC2086
	is "$(echo | "$prog" $how)" "0 pieces lost, 0 wrong" "unprobed, the program gets all memory${how:+ with MAP_FIXED}"
	count_begin "$prog" "${fn##*:}"
	# shellcheck disable=SC2086
	coproc arena { exec "$prog" $how; }
	arena_pid=$!
	check "a place counts without a trap" in_time eval '[ "$(jumps)" = 1 ]'
	echo >&"${arena[1]}"
	read -r said <&"${arena[0]}"
	wait $arena_pid
	is "$? $said" "0 0 pieces lost, 0 wrong" "probed, it gets all memory${how:+ with MAP_FIXED}, too"
	check "calls were counted, and none was missed" awk '$2 > 2000 && $3 == 0 { ok = 1 } END { exit !ok }' <(counts)
	count_end
done
