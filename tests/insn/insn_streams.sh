#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: streams of random instructions end in the same state with a probe on every instruction
# full: its instructions are random; insn_everywhere has those of programs
# once: the result depends on the module only, not on the kernel
# timeout: 240
# cpus: 1 (also with TEST_CPUS=2)
#
# It needs a single CPU: with more, QEMU (10.0) loses flags when a debugger steps over a locked
# instruction with an unaligned operand, even without probes.
#
# SEED=N begins with another stream, STREAMS=N tries more of them, COUNT=N makes
# them longer, RUNS=N executes each more often. For a million instructions:
#
#   qemu/run -n 1 -k 6.12 -t 3600 -- env STREAMS=6 COUNT=1000 RUNS=60 \
#	tests/insn/insn_streams.sh
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/task.inc"
seed=${SEED:-1} streams=${STREAMS:-1} count=${COUNT:-300} runs=${RUNS:-10}
ktap_plan $((streams * 10 + 1))

control=/sys/kernel/debug/uprobes
at_exit 'echo 0 >/sys/module/uprobes/parameters/single_step'
total=0
for s in $(seq "$seed" $((seed + streams - 1))); do
	"$progs/stream_make" "$s" "$count" "$tmp/stream" >"$tmp/offsets"
	"$progs/stream_run" "$s" "$runs" "$tmp/stream" >"$tmp/plain"
	: >"$tmp/hits"
	for how in 0 1 2 3; do
		set_way $how "$tmp/stream"
		while read -r at; do
			echo "p:i$at $prog:$at $arg"
		done <"$tmp/offsets" >"$control/uprobe_events"
		echo 1 >"$control/events/uprobes/enable"
		"$progs/stream_run" "$s" "$runs" "$prog" >"$tmp/probed" 2>"$tmp/stderr"
		awk '{ print $2, $3, $4 }' "$control/uprobe_profile" >"$tmp/profile"
		echo 0 >"$control/events/uprobes/enable"
		echo >"$control/uprobe_events"
		diff "$tmp/plain" "$tmp/probed" >"$tmp/diff"
		is "$(head -n 4 "$tmp/diff" "$tmp/stderr" | grep '^[<>]\|stream')" "" \
			"stream_make $s $count, stream_run $s $runs, $where: the end states are the same as unprobed"
		[ -s "$tmp/hits" ] || cp "$tmp/profile" "$tmp/hits"
		is "$(diff "$tmp/hits" "$tmp/profile" | head -n 4)" "" \
			"stream $s, $where: each instruction has as many hits as in the trap"
		[ -z "$arg" ] || check "stream $s, $where: all handlers ran in task context" left_to_task
		total=$(awk '{ n += $2 } END { print n + '"$total"' }' "$tmp/profile")
	done
	rm -f "$tmp"/stream.*
done
check "$total probed instructions were executed" test "$total" -gt $((streams * runs * count * 2))
