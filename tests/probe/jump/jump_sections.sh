#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: restartable sequences whose instructions are counted without traps abort correctly
# once: foreign_failed, foreign_forked and jump_foreign cover the differences between kernels
# cpus: 2 with FULL=1
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 9

prog=$progs/critical
# shellcheck disable=SC2046
set -- $(instructions "$prog" critical_add critical_start critical_end | head -11)

# counted ON: count a part of the instructions at a time, so that each has its jump once.
round=0
for skip in 0 1 2; do
	round=$((round + 1))
	cp "$prog" "$tmp/critical.$round"
	list=$(n=0; for offset; do
		[ $((n % 3)) != $skip ] || echo $((offset))
		n=$((n + 1))
	done)
	jump 1
	# shellcheck disable=SC2086
	count_begin "$tmp/critical.$round" $list
	most=0
	: >"$tmp/outs"
	# On a machine with a load, the jumps may come late.
	for _ in $(tries 8); do
		"$tmp/critical.$round" 4 30000 >"$tmp/out" &
		while [ -d /proc/$! ] && ! grep -q "^State:.*Z" /proc/$!/status; do
			now=$(jumps)
			[ "$now" -le "$most" ] || most=$now
		done
		wait $!
		cat "$tmp/out" >>"$tmp/outs"
		[ "$most" = 0 ] || break
	done
	is "$(sort -u "$tmp/outs")" "sum 120000" "part $round: the counters add up"
	check "part $round: there were jumps" test "$most" -gt 0
	is "$("$tmp/critical.$round" 4 3000 storm)" "sum 12000" "part $round: they do so in a storm of aborts"
	diag "$most jumps; $(counts | tr '\n' ' ')"
	count_end
done
