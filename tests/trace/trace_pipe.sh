#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: readers of trace_pipe wait, wake, poll and can be interrupted, and consume the records
# once: the result depends on the module only, not on the kernel
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

# ready: true if poll says that there is something to read.
ready() {
	read -r -t 0 -u 3
}

ktap_plan 17
clear
define "p $(where tick) n=%di:u64"
enable
pipe=$dir/trace_pipe
exec 3<$pipe

# Nothing to read.
check_fails "with nothing to read, trace_pipe is not ready" ready
like "$(dd if=$pipe iflag=nonblock 2>&1)" "Resource temporarily unavailable" \
	"with nothing to read, a nonblocking read gets EAGAIN"
timeout -s INT 1 cat $pipe >"$tmp/out"
is $? 124 "a signal interrupts a reader that waits"
is "$(cat "$tmp/out")" "" "the interrupted reader has read nothing"

# A reader that waits is woken by the first event, not by the next one.
(read -r line <$pipe; echo "$line") >"$tmp/out" &
reader=$!
wait_until "the reader waits" reads $reader $pipe
"$prog" ticks 1 1
check "the first event wakes a reader that waits" in_time ended $reader
like "$(cat "$tmp/out")" ' n=0$' "the reader gets the event that has woken it"

# The line.
like "$(cat "$tmp/out")" \
	'^traced-[0-9]+ +\[00[01]\] [d.][n.]\.[0-9.]\. +[0-9]+\.[0-9]{6}: p_traced_0x[0-9a-f]+: \(0x[0-9a-f]+\) n=0$' \
	"the line has the form of tracefs"
# The clocks of an emulated machine that has to wait differ by some seconds after minutes.
uptime() { cut -d. -f1 /proc/uptime; }
before=$(uptime)
"$prog" slow 1 &
pid=$!
wait $pid
check "with something to read, trace_pipe is ready" ready
read -r line <&3
like "$line" "-$pid " "the line names the thread that was hit"
now=$(uptime)
then=$(sed -E 's/.* ([0-9]+)\.[0-9]{6}: .*/\1/' <<<"$line")
check "the time in the line is the kernel's" test $then -ge $((before - 5 - before / 20)) -a $then -le $((now + 5 + now / 20))
check_fails "after the record is read, trace_pipe is not ready" ready

# Order across CPUs.
for i in 1 2 3 4 5 6; do
	taskset $((1 << i % 2)) "$prog" ticks 1 3
done
drain $pipe >"$tmp/out"
is "$(wc -l <"$tmp/out")" 18 "trace_pipe has all events of both CPUs"
check "the events of both CPUs come in the order of time" \
	sort -c -n <(sed -E 's/^.*\[00.\] .{5} +//; s/: .*//' "$tmp/out")

# End of file: only with tracing off, and after something was read.
"$prog" ticks 1 2
echo 0 >$dir/tracing_on
is "$(timeout $((20 * ${TEST_TIMEOUT_SCALE:-1})) cat $pipe | wc -l)" 2 \
	"with tracing off, a reader gets the records, then end of file"
echo 1 >$dir/tracing_on
cat $pipe >"$tmp/out" &
reader=$!
wait_until "the reader waits" reads $reader $pipe
"$prog" ticks 1 1
wait_until "the reader has read" test -s "$tmp/out"
wait_until "the reader waits again" reads $reader $pipe
echo 0 >$dir/tracing_on
check "switching tracing off ends a reader that waits" in_time ended $reader
is "$(wc -l <"$tmp/out")" 1 "the reader that ended has read the record before"
"$prog" ticks 1 5
is "$(lines | wc -l)" 0 "no hit is recorded with tracing off"
exec 3<&-
clear
