#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: concurrent readers of trace_pipe share the events: each one is read exactly once
# once: the result depends on the module only, not on the kernel
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

ktap_plan 4
clear
define "p:e $(where tick) n=%di:u64 pad=+0(%sp):x64[64] s=\\\"end\""
echo 8192 >$dir/buffer_size_kb
enable
for i in 1 2 3 4; do
	cat $dir/trace_pipe >"$tmp/out.$i" &
	readers+=($!)
done
check "a program with four threads runs" "$prog" ticks 4 600
# Reading trace meanwhile consumes nothing.
grep -c . $dir/trace >/dev/null
disable
empty() { [ "$(lines | wc -l)" = 0 ]; }
wait_until "all records are read" empty
# A reader that waits for more has written all that it has read.
for reader in "${readers[@]}"; do
	wait_until "a reader waits" reads "$reader" $dir/trace_pipe
done
kill "${readers[@]}"
wait
is "$(cat "$tmp"/out.* | grep -c ' s="end"$')" 2400 "all events were read"
is "$(cat "$tmp"/out.* | sed -nE 's/.* n=([0-9]+) .*/\1/p' | sort -n | uniq -c | awk '$1 != 4' | wc -l)" 0 \
	"the event of each call was read once for each thread"
is "$(cat "$tmp"/out.* | grep -vc ': e: (0x[0-9a-f]*) n=[0-9]* pad={.*} s="end"$')" 0 "no line is torn"
clear
echo 1408 >$dir/buffer_size_kb
