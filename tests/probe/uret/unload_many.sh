#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the module unloads while processes are in several 100,000 return-probed calls; the test prints the stop time
# once: the result depends on the module only, not on the kernel
# cpus: 2 with FULL=1
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 8

prog=$progs/coroutines_many
processes="1 2" depth=20000
[ -z "${FULL:-}" ] || depth=60000
plain=$("$prog" 4 $depth)
set_probe 0 path="$prog" offset=0x"$(symbol "$prog" probed_pause)" returns=1 flags=1
set_probe 1 path="$prog" offset=0x"$(symbol "$prog" probed_deep)" returns=1 flags=1
run register 0-1
for i in $processes; do
	mkfifo "$tmp/in$i"
	"$prog" 4 $depth wait <"$tmp/in$i" >"$tmp/out$i" &
	eval "pid$i=$!"
done
exec 5>"$tmp/in1" 6>"$tmp/in2"
start_calls sleepers 1000 8
go_on
wait_for "all sleep"
for i in $processes; do
	wait_until "process $i is deep in calls" grep -qx deep "$tmp/out$i"
done
is "$(all_hits)" "0 0" "no call has returned yet"
run unregister 0-1
rmmod uprobe_client

# If there is a function graph tracer, it times the work that is done while the machine is stopped.
tracing=/sys/kernel/tracing
traced=
if grep -qw function_graph $tracing/available_tracers 2>/dev/null; then
	echo release_ip >$tracing/set_ftrace_filter && echo function_graph >$tracing/current_tracer && traced=1
fi
check "the module unloads" rmmod uprobes_trace uprobes
if [ $traced ]; then
	diag "in the stop: $(grep -v '^#' $tracing/trace | grep -o '[0-9.]* us' | xargs)"
	echo nop >$tracing/current_tracer
	: >$tracing/set_ftrace_filter
fi
echo >&5
echo >&6
exec 5>&- 6>&-
for i in $processes; do
	eval "wait \$pid$i"
	is $? 0 "process $i ends with status 0"
	is "$(sed 1d "$tmp/out$i")" "$plain" "process $i: the output is the same as unprobed"
done
go_on
wait_for "slept"
end_calls
check "the module loads again" load_module
check "the client loads again" insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
