#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: files in per_cpu/ show, consume, clear, count and resize the records of one CPU
# cpus: 2
# once: the result depends on the module only, not on the kernel
# needs: taskset
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

# stat CPU NAME: print a number of its stats.
stat() {
	sed -n "s/^$2: *//p" "$dir/per_cpu/cpu$1/stats"
}

ktap_plan 21
clear
define "p:e $(where tick) n=%di"
is "$(ls $dir/per_cpu)" "cpu0
cpu1" "each CPU has a directory"
enable
taskset 1 "$prog" ticks 1 7
taskset 2 "$prog" ticks 1 4
is "$(grep -c ' \[000\] ' $dir/per_cpu/cpu0/trace)" 7 "the trace of a CPU shows the hits on it"
is "$(grep -vc '^#' $dir/per_cpu/cpu1/trace)" 4 "the trace of a CPU shows no hits on others"
like "$(cat $dir/per_cpu/cpu0/trace)" 'entries-in-buffer/entries-written: 7/7' \
	"the header of a CPU's trace counts its hits"
is "$(stat 0 entries)" 7 "stats counts the records"
is "$(stat 0 overrun)" 0 "stats counts no overrun"
check "stats has the times of now and of the oldest record" \
	test "$(stat 0 'now ts' | tr -d .)" -ge "$(stat 0 'oldest event ts' | tr -d .)"
is "$(drain $dir/per_cpu/cpu0/trace_pipe | wc -l)" 7 "the trace_pipe of a CPU consumes its records"
is "$(lines | wc -l)" 4 "the records of the other CPU stay"
is "$(stat 0 'read events')" 7 "stats counts the records that were read"
taskset 1 "$prog" ticks 1 3
: >$dir/per_cpu/cpu1/trace
is "$(lines | wc -l)" 3 "clearing one CPU leaves the records of the other one"

# A reader of one CPU waits for that CPU.
pipe=$dir/per_cpu/cpu1/trace_pipe
sed -u 1q $pipe >"$tmp/out" &
reader=$!
wait_until "the reader waits" reads $reader $pipe
taskset 1 "$prog" ticks 1 3
check "a reader of one CPU sleeps through hits on others" in_time reads $reader $pipe
taskset 2 "$prog" ticks 1 1
wait_until "the reader has ended" ended $reader
like "$(cat "$tmp/out")" ' \[001\] .* n=' "a reader of one CPU wakes for hits on it"

# Sizes.
is "$(cat $dir/per_cpu/cpu0/buffer_size_kb $dir/buffer_size_kb $dir/buffer_total_size_kb)" "1408
1408
2816" "the files have the sizes of one CPU, of each CPU and in total"
echo 16 >$dir/per_cpu/cpu1/buffer_size_kb
is "$(cat $dir/per_cpu/cpu?/buffer_size_kb $dir/buffer_size_kb $dir/buffer_total_size_kb)" "1408
16
X
1424" "CPUs may have different sizes"
: >$dir/trace
taskset 1 "$prog" ticks 1 3000
taskset 2 "$prog" ticks 1 3000
is "$(stat 0 entries)" 3000 "records that fit are kept"
check "records that do not fit are overrun" test "$(stat 1 overrun)" -gt 0
is $(($(stat 1 overrun) + $(stat 1 entries))) 3000 "records and overruns add up exactly"
drain $dir/per_cpu/cpu1/trace_pipe >"$tmp/out"
like "$(head -n 1 "$tmp/out")" '^CPU:1 \[LOST [0-9]+ EVENTS\]$' "the trace_pipe of a CPU marks the loss"
echo 64 >$dir/buffer_size_kb
is "$(cat $dir/per_cpu/cpu?/buffer_size_kb)" "64
64" "buffer_size_kb sets the same size for all CPUs"

# Without overwrite, new records are dropped.
echo 16 >$dir/buffer_size_kb
echo 0 >$dir/options/overwrite
: >$dir/trace
taskset 1 "$prog" ticks 1 3000
is "$(lines | head -n 1 | sed 's/.* n=//')" 0x0 "without overwrite the oldest records stay"
echo 1 >$dir/options/overwrite
echo 1408 >$dir/buffer_size_kb
clear
