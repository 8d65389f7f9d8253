#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: an instruction is hit once even if a signal handler sends the thread elsewhere, and it comes back by itself
# once: the result depends on the module only, not on the kernel
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/task.inc"
ktap_plan $((FULL ? 44 : 32))

prog=$progs/preempted
control=/sys/kernel/debug/uprobes

# preempt PROBE THING RESULT: the signal comes while the probe's handler sleeps. One result.
preempt() {
	set_probe $1 path="$prog" offset="0x$(symbol "$prog" "$2_at")" action=await other=60000
	run register $1
	: >"$out"
	"$prog" wait "$2" >"$out" &
	wait_for .
	until_is 1 calls $1
	kill -URG "$(head -n 1 "$out")"
	wait $!
	status=$?
	is "$status $(sed 1d "$out") $(hits $1)" "0 $3 1 1" \
		"$2, a signal while the handler sleeps: the right result, one signal and one hit"
	run unregister $1
}
preempt 0 ret 11
preempt 1 rep 12
preempt 2 imm 13
preempt 3 jump 14
preempt 4 copy 15
preempt 5 push 16
preempt 6 jcc 17
preempt 7 call 18
preempt 8 icall 19

calls=1000
[ -z "${FULL:-}" ] || calls=2000
things="ret rep imm jump copy push jcc call icall"

# storm HOW ARGUMENT: each call is a hit, in a storm of signals.
storm() {
	for thing in $things; do
		echo "p:$thing $prog:0x$(symbol "$prog" ${thing}_at) $2" >>"$control/uprobe_events"
	done
	echo 1 >"$control/events/uprobes/enable"
	"$prog" storm $calls >"$tmp/said" 2>"$tmp/sent"
	is "$? $(cat "$tmp/said")" "0 right" "$1: the program's result is right"
	diag "$(cat "$tmp/sent")"
	check "$1: at least 30 signals came" [ "$(awk '{ print $4 }' "$tmp/sent")" -ge 30 ]
	echo 0 >"$control/events/uprobes/enable"
	for thing in $things; do
		is "$(awk -v name="$thing" '$2 == name { print $3 }' "$control/uprobe_profile")" \
			"$(awk '{ print $2 }' "$tmp/sent")" "$1: $thing: each call is a hit"
	done
	echo >"$control/uprobe_events"
}
is "$("$prog" storm $calls 2>"$tmp/sent")" right "unprobed, the program's result is right"
diag "$(cat "$tmp/sent")"
echo 0 >"$control/tracing_on"
storm "in the trap" ""
if [ -n "${FULL:-}" ]; then
	echo 1 >"$control/tracing_on"
	storm "in task context" "$in_task"
	check "all handlers ran in task context" left_to_task
	echo 0 >"$control/tracing_on"
fi
at_exit 'echo 0 >/sys/module/uprobes/parameters/single_step'
echo 1 >/sys/module/uprobes/parameters/single_step
# A site keeps its slot, so this needs a new file.
cp "$prog" "$tmp/preempted"
prog=$tmp/preempted
storm "single-stepped" ""
