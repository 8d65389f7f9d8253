#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program that forges, copies, abandons, swaps and misaligns its stack under return probes harms itself alone, and ties up no memory
# once: what decides here is the module, in the same way on all kernels
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
. "$UPROBES_TOP/tests/guest/hostile.inc"
ktap_plan $((FULL ? 45 : 41))

prog=$progs/hostile_stack
offset=$(uprobe offset "$prog" enter | sed 's/.*://')
bystander_start
n=0
for with in "flags=1" "flags=0" "flags=1 entry=1 data=64"; do
	# shellcheck disable=SC2086
	set_probe $n path="$prog" offset="$offset" returns=1 $with
	run register $n
	for thing in redirect swap unaligned; do
		"$prog" $thing >"$tmp/plain.$thing"
		hostile "$prog" $thing
		is "$hostile_status $(cat "$tmp/hostile")" "0 $(cat "$tmp/plain.$thing")" \
			"$with: $thing: as unprobed"
		bystander_fine "$with: $thing"
	done
	for thing in copy jump; do
		hostile "$prog" $thing
		diag "$thing: status $hostile_status, $(head -n 1 "$tmp/hostile")"
		# The parent forges nothing.
		is "$hostile_status $(tail -n 1 "$tmp/hostile")" "0 enter 21" \
			"$with: $thing: only those that forge have the damage"
		bystander_fine "$with: $thing"
	done
	hostile "$prog" abandon 2000
	is "$hostile_status $(tail -n 1 "$tmp/hostile")" "0 enter 21" "$with: a few abandoned calls: the program is fine"
	bystander_fine "$with: abandoned calls"
	# So many take long enough alone, and, without FULL=1, once.
	if [ $n != 0 ] && [ -z "${FULL:-}" ]; then
		run unregister $n
		n=$((n + 1))
		continue
	fi
	bystander_idle
	hostile "$prog" abandon 40000
	step busy >/dev/null
	grown=$(awk '$1 == "grown" { print $3 }' "$tmp/hostile")
	diag "status $hostile_status, $(cat "$tmp/hostile")"
	is "$hostile_status $(tail -n 1 "$tmp/hostile")" "0 enter 21" "$with: abandoned calls: the program is fine"
	check "$with: 20,000 abandoned calls tie up no memory" test "${grown:-9999}" -lt 1500
	run unregister $n
	n=$((n + 1))
done
is "$("$prog" redirect)" "$(cat "$tmp/plain.redirect")" "unprobed again"
all_gone
