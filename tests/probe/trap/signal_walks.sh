#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a signal handler that walks the stack sees the same as unprobed, wherever it interrupts probed functions
# once: the test signals covers how each kernel delivers them
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/task.inc"
# Instructions are not stepped, and hit in the trap. FULL=1 has all combinations.
ways=0
[ -z "${FULL:-}" ] || ways="0 1 2 3"
ktap_plan $((FULL ? 22 : 5))

control=/sys/kernel/debug/uprobes
calls=100
[ -z "${FULL:-}" ] || calls=2000
at_exit 'echo 0 >/sys/module/uprobes/parameters/single_step; echo 1 >$control/tracing_on'

# counted EVENT: print its hits and misses.
counted() {
	awk -v e="$1" '$2 == e { print $3, $4 }' "$tmp/profile"
}

for how in $ways; do
	set_way "$how" "$progs/signals"
	for thing in walk storm; do
		"$prog" $thing $calls >"$tmp/plain" 2>/dev/null
		for at in $(instructions "$prog" work leaf on_timer on_walk); do
			echo "p:i$at $prog:$at $arg"
		done >"$control/uprobe_events"
		for function in work leaf; do
			echo "r:back_$function $prog:0x$(symbol "$prog" $function) $arg"
		done >>"$control/uprobe_events"
		echo 1 >"$control/events/uprobes/enable"
		"$prog" $thing $calls >"$tmp/probed" 2>"$tmp/stderr"
		status=$?
		cp "$control/uprobe_profile" "$tmp/profile"
		diag "$(cat "$tmp/stderr")"
		is "$status $(cat "$tmp/probed")" "0 $(cat "$tmp/plain")" \
			"$thing, $where: the output is the same as unprobed"
		# If the handler walks through a call, its return counts as a miss.
		case $thing in
		walk)
			check "$thing, $where: the handler walked the stack" \
				test "$(awk '$2 == "walks" { print $1 }' "$tmp/stderr")" -gt 10
			is "$(counted back_work | awk '{ print $1 + $2 }')" $calls "$thing, $where: each return is counted once" ;;
		storm)
			is "$(counted back_work)" "$calls 0" "$thing, $where: each return is counted once" ;;
		esac
		echo 0 >"$control/events/uprobes/enable"
		echo >"$control/uprobe_events"
	done
	[ -z "$arg" ] || check "$where: all handlers ran in task context" left_to_task
done
