#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the module can unload while return-probed coroutines are suspended, and while one is at the trampoline
# once: the module's own code decides this, and it is the same on all kernels
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 8

prog=$progs/coroutines
plain=$("$prog" 4 40 6)
insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$prog" offset="0x$(symbol "$prog" probed_inner)"
start_program suspended "$prog" 4 40 6 wait
is "$(param uretprobe_sum returns) $(param uretprobe_sum missed)" "200 0" \
	"five of six calls of each coroutine have returned"
rmmod uretprobe_sum
check "the module unloads while coroutines are suspended" rmmod uprobes_trace uprobes
end_calls
is $? 0 "the program ends with status 0"
is "$(grep -v suspended "$out")" "$plain" "the program's result is the same as without probes"
check "the module loads again" load_module

# A thread that returns from another thread's call, and has not executed the trampoline yet.
prog=$progs/coroutines_fault
insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$prog" offset="0x$(symbol "$prog" probed_pause)"
: >"$out"
"$prog" <"$tmp/in" >"$out" &
exec 3>"$tmp/in"
wait_for waits
rmmod uretprobe_sum
check "the module unloads while a thread is at the trampoline" rmmod uprobes_trace uprobes
end_calls
is "$? $(tail -n 1 "$out")" "0 paused 42" "this thread returns to the caller"
check "the module loads again, a second time" load_module
