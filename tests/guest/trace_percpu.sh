#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: per_cpu/ shows, takes, clears, counts and resizes the records of one CPU
# cpus: 2
# once: what decides here is the module, in the same way on all kernels
# needs: taskset
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

# stat CPU NAME: a number of its stats.
stat() {
	sed -n "s/^$2: *//p" "$dir/per_cpu/cpu$1/stats"
}

ktap_plan 21
clear
define "p:e $(where tick) n=%di"
is "$(ls $dir/per_cpu)" "cpu0
cpu1" "there is a directory per CPU"
enable
taskset 1 "$prog" ticks 1 7
taskset 2 "$prog" ticks 1 4
is "$(grep -c ' \[000\] ' $dir/per_cpu/cpu0/trace)" 7 "the trace of a CPU shows its hits"
is "$(grep -vc '^#' $dir/per_cpu/cpu1/trace)" 4 "and no others"
like "$(cat $dir/per_cpu/cpu0/trace)" 'entries-in-buffer/entries-written: 7/7' "its header counts them"
is "$(stat 0 entries)" 7 "so does stats"
is "$(stat 0 overrun)" 0 "nothing is overrun"
check "stats have a time" test "$(stat 0 'now ts' | tr -d .)" -ge "$(stat 0 'oldest event ts' | tr -d .)"
is "$(drain $dir/per_cpu/cpu0/trace_pipe | wc -l)" 7 "the trace_pipe of a CPU takes its hits"
is "$(lines | wc -l)" 4 "the others stay"
is "$(stat 0 'read events')" 7 "stats count what was read"
taskset 1 "$prog" ticks 1 3
: >$dir/per_cpu/cpu1/trace
is "$(lines | wc -l)" 3 "clearing one CPU leaves the other one"

# A reader of one CPU waits for that CPU.
pipe=$dir/per_cpu/cpu1/trace_pipe
sed -u 1q $pipe >"$tmp/out" &
reader=$!
wait_until "the reader waits" reads $reader $pipe
taskset 1 "$prog" ticks 1 3
check "a reader sleeps through the hits of others" in_time reads $reader $pipe
taskset 2 "$prog" ticks 1 1
wait_until "the reader has ended" ended $reader
like "$(cat "$tmp/out")" ' \[001\] .* n=' "and wakes for its own"

# Sizes.
is "$(cat $dir/per_cpu/cpu0/buffer_size_kb $dir/buffer_size_kb $dir/buffer_total_size_kb)" "1408
1408
2816" "sizes per CPU, for each, and in all"
echo 16 >$dir/per_cpu/cpu1/buffer_size_kb
is "$(cat $dir/per_cpu/cpu?/buffer_size_kb $dir/buffer_size_kb $dir/buffer_total_size_kb)" "1408
16
X
1424" "CPUs may differ"
: >$dir/trace
taskset 1 "$prog" ticks 1 3000
taskset 2 "$prog" ticks 1 3000
is "$(stat 0 entries)" 3000 "what fits is kept"
check "what does not fit is overrun" test "$(stat 1 overrun)" -gt 0
is $(($(stat 1 overrun) + $(stat 1 entries))) 3000 "and counted, exactly"
drain $dir/per_cpu/cpu1/trace_pipe >"$tmp/out"
like "$(head -n 1 "$tmp/out")" '^CPU:1 \[LOST [0-9]+ EVENTS\]$' "the reader of the CPU is told"
echo 64 >$dir/buffer_size_kb
is "$(cat $dir/per_cpu/cpu?/buffer_size_kb)" "64
64" "buffer_size_kb makes them alike again"

# The newest give way.
echo 16 >$dir/buffer_size_kb
echo 0 >$dir/options/overwrite
: >$dir/trace
taskset 1 "$prog" ticks 1 3000
is "$(lines | head -n 1 | sed 's/.* n=//')" 0x0 "without overwrite the oldest stay"
echo 1 >$dir/options/overwrite
echo 1408 >$dir/buffer_size_kb
clear
