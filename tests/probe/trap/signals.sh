#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: with a probe on every instruction, signals repeat no hit, show no slot, and faults have the right address
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/task.inc"
name=${name:-signals}		# the program
# How it is probed: stepped in task context. FULL=1 has all combinations.
[ -z "${FULL:-}" ] || ways=${ways:-0 1 2 3}
ways=${ways:-3}
task_ways=$(echo "$ways" | tr ' ' '\n' | grep -c '[13]')
# shellcheck disable=SC2086
ktap_plan $((11 * $(set -- $ways; echo $#) + task_ways))

control=/sys/kernel/debug/uprobes
calls=200
[ -z "${FULL:-}" ] || calls=3000

# probe_all ARGUMENT FUNCTION...: define and enable an event at each instruction.
probe_all() {
	arg=$1
	shift
	for at in $(instructions "$prog" "$@"); do
		echo "p:i$at $prog:$at $arg"
	done >"$control/uprobe_events"
	echo 1 >"$control/events/uprobes/enable"
}

unprobe_all() {
	echo 0 >"$control/events/uprobes/enable"
	echo >"$control/uprobe_events"
}

at_exit 'echo 0 >/sys/module/uprobes/parameters/single_step'
for how in $ways; do
	set_way "$how" "$progs/$name"
	for thing in faults syscalls eintr "jumps 50" "storm $calls"; do
		# shellcheck disable=SC2086
		plain=$tmp/plain.${thing%% *}
		[ -e "$plain" ] || "$prog" $thing >"$plain" 2>/dev/null
		probe_all "$arg" work leaf reader syscall on_timer load load_at divide divide_at \
			illegal illegal_at call_null call_null_at store_rip store_rip_at
		# shellcheck disable=SC2086
		"$prog" $thing >"$tmp/probed" 2>"$tmp/stderr"
		status=$?
		cp "$control/uprobe_profile" "$tmp/profile"
		diag "$(cat "$tmp/stderr")"
		storm=$(awk '$2 == "signals" { print $1 }' "$tmp/stderr")
		is "$status $(cat "$tmp/probed")" "0 $(cat "$plain")" "$thing, $where: the output is the same as unprobed"
		unprobe_all
		[ "$thing" = faults ] && continue
		case $thing in
		storm*) fn=work want=$calls ;;
		jumps*) fn=load_at want=50 ;;
		eintr) fn=reader want=$(awk '$2 == "calls" { print $1 }' "$tmp/stderr") ;;
		*) fn=reader want=20 ;;
		esac
		entry=$(instructions "$prog" $fn | head -n 1)
		is "$(awk -v e="i$entry" '$2 == e { print $3, $4 }' "$tmp/profile")" "$want 0" \
			"$thing, $where: each call is counted once"
	done
	check "storm, $where: more than ten signals came" test "$storm" -gt 10
	is "$(awk '{ missed += $4 } END { print missed + 0 }' "$tmp/profile")" 0 "$where: no hit is missed"
	[ -z "$arg" ] || check "$where: all handlers ran in task context" left_to_task
done
echo 1 >"$control/tracing_on"
