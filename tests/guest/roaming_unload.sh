#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: probe and module go away while coroutines are suspended that other threads go on with
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 5

prog=$progs/roams
plain=$("$prog" 4 40 6)
insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$prog" offset="0x$(symbol "$prog" probed_inner)"
mkfifo "$tmp/in"
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
