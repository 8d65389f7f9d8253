#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a return-probed program that forges, copies, swaps or abandons its stack harms only itself and ties up no memory
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/hostile.inc"
ktap_plan $((FULL ? 45 : 15))

prog=$progs/hostile_stack
offset=$(uprobe offset "$prog" enter | sed 's/.*://')
bystander_start
n=0
withs=("flags=1")
[ -z "${FULL:-}" ] || withs+=("flags=0" "flags=1 entry=1 data=64")
for with in "${withs[@]}"; do
	# shellcheck disable=SC2086
	set_probe $n path="$prog" offset="$offset" returns=1 $with
	run register $n
	for thing in redirect swap unaligned; do
		"$prog" $thing >"$tmp/plain.$thing"
		hostile "$prog" $thing
		is "$hostile_status $(cat "$tmp/hostile")" "0 $(cat "$tmp/plain.$thing")" \
			"$with: $thing: the result is as without probes"
		bystander_fine "$with: $thing"
	done
	for thing in copy jump; do
		hostile "$prog" $thing
		diag "$thing: status $hostile_status, $(head -n 1 "$tmp/hostile")"
		# Only the children forge addresses.
		is "$hostile_status $(tail -n 1 "$tmp/hostile")" "0 enter 21" \
			"$with: $thing: the parent, which forges nothing, is not harmed"
		bystander_fine "$with: $thing"
	done
	hostile "$prog" abandon 2000
	is "$hostile_status $(tail -n 1 "$tmp/hostile")" "0 enter 21" \
		"$with: a few abandoned calls: the program's result is right"
	bystander_fine "$with: abandoned calls"
	if [ -n "${FULL:-}" ]; then
		# Many abandoned calls take long: let the bystander be idle.
		bystander_idle
		hostile "$prog" abandon 40000
		step busy >/dev/null
		grown=$(awk '$1 == "grown" { print $3 }' "$tmp/hostile")
		diag "status $hostile_status, $(cat "$tmp/hostile")"
		is "$hostile_status $(tail -n 1 "$tmp/hostile")" "0 enter 21" \
			"$with: abandoned calls: the program's result is right"
		check "$with: 20,000 abandoned calls tie up no memory" test "${grown:-9999}" -lt 1500
	fi
	run unregister $n
	n=$((n + 1))
done
is "$("$prog" redirect)" "$(cat "$tmp/plain.redirect")" "after unregistering, the result is right"
all_gone
