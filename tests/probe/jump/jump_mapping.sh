#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: text with jumps can be protected, moved, copied and discarded, with the counts that traps give
# once: mappings and text_pages cover the differences between kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
ktap_plan 7

for on in 0 1; do
	rm -f "$tmp/counts"
	cp "$progs/jumps" "$prog.$on"
	prog=$prog.$on
	jump $on
	jumps_begin
	# shellcheck disable=SC2086
	count_begin "$prog" $(offsets_of $entries $inside)
	for thing in protect move protect copy move copy; do
		called=0
		[ $on = 0 ] || hot $jumping || echo "$thing: no jumps"
		say call $((10000 - called))
		say $thing
	done >"$tmp/out.$on"
	is "$(grep -vc ", 0 wrong\$" "$tmp/out.$on")" 0 "jump=$on: all results are right"
	for name in $entries $inside; do
		echo "$name $(count_of $name)"
	done >"$tmp/sums.$on"
	say forget >/dev/null
	like "$(say call 1000)" ", 0 wrong\$" "jump=$on: without its private pages, the text is that of the file"
	count_end
	check "jump=$on: the text is that of the file in the end" "$progs/textcmp" "$pid"
done
is "$(cat "$tmp/sums.1")" "$(cat "$tmp/sums.0")" "the counts are those of traps"
