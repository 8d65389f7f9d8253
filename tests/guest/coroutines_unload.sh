#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: probe and module go away while coroutines are suspended that other threads go on with, and while one has just returned
# once: what decides here is the module, in the same way on all kernels
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 8

prog=$progs/coroutines
plain=$("$prog" 4 40 6)
insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$prog" offset="0x$(symbol "$prog" probed_inner)"
mkfifo "$tmp/in"
: >"$out"
"$prog" 4 40 6 wait <"$tmp/in" >"$out" &
exec 3>"$tmp/in"
wait_for suspended
is "$(param uretprobe_sum returns) $(param uretprobe_sum missed)" "200 0" "five of six calls of each have returned"
rmmod uretprobe_sum
check "the module unloads" rmmod uprobes
end_calls
is $? 0 "the program ends well"
is "$(grep -v suspended "$out")" "$plain" "as unprobed"
check "the module loads again" load_module

# What has returned to the trampoline and not executed it, in the first thread that returns from another's call.
prog=$progs/coroutines_fault
insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$prog" offset="0x$(symbol "$prog" probed_pause)"
: >"$out"
"$prog" <"$tmp/in" >"$out" &
exec 3>"$tmp/in"
wait_for waits
rmmod uretprobe_sum
check "the module unloads while a thread is at the trampoline" rmmod uprobes
end_calls
is "$? $(tail -n 1 "$out")" "0 paused 42" "that goes on where it was called from"
check "the module loads a second time" load_module
