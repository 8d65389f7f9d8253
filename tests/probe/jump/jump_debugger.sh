#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a debugger that reads text by process_vm_readv() sees no jump, and puts none back later
# full: jump_foreign has other debuggers
# once: jump_foreign covers the differences between kernels
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
rounds=1
[ -z "${FULL:-}" ] || rounds=3
ktap_plan 13

setarch=$(command -v setarch)
for on in 0 1; do
	cp "$progs/jumps" "$prog.$on"
	prog=$prog.$on
	jump $on
	coproc program { exec env -i "$setarch" -R "$prog"; }
	read -r pid page <&"${program[0]}"
	# shellcheck disable=SC2086
	count_begin "$prog" $(offsets_of $entries)
	[ $on = 0 ] || check "places count without a trap" hot 6
	echo loops >&"${program[1]}"
	# The functions are in one page. Breakpoints are at instructions that jumps cover.
	page=$((page))
	first=$(offset_of jumps_page)
	at=$((page + $(offset_of pushes) - first)) compares=$((page + $(offset_of compares) - first))
	for round in $(seq $rounds); do
		"$progs/vm_debugger" "$pid" $((at + 1)) $((at + 4)) $((compares + 4)) || echo failed
		sleep 1.5
	done >"$tmp/seen.$on"
	is "$(grep -c '^hit$' "$tmp/seen.$on")" $((3 * rounds)) "jump=$on: each breakpoint is hit"
	echo stop >&"${program[1]}"
	read -r times _ answer <&"${program[0]}"
	: "${times:?}"
	like "$answer" "^0 wrong\$" "jump=$on: all results were right"
	[ $on = 0 ] || check "jumps come back when the debugger has left" hot 1
	like "$(say call 1000)" ", 0 wrong\$" "jump=$on: and are right after that"
	count_end
	check "jump=$on: the text is that of the file" "$progs/textcmp" "$pid"
	check "jump=$on: the program ends as it should" jumps_end
done
is "$(cat "$tmp/seen.1")" "$(cat "$tmp/seen.0")" "it has seen what it sees with breakpoints"
