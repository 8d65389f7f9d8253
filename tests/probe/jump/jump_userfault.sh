#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: in a pad, too, a signal does not wait for an instruction that waits for the signal's handler
# cpus: 2 with FULL=1
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"

[ -e /proc/sys/vm/unprivileged_userfaultfd ] || skip_all "this kernel has no userfaultfd()"
ktap_plan 4

prog=$tmp/userfault
cp "$progs/userfault" "$prog"
jump 1
place=$((0x$(symbol "$prog" load_at)))
count_begin "$prog" $place
start_program . "$prog" warm
check "loads are counted without a trap" in_time eval '[ "$(jumps)" = 1 ]'
echo >&3
wait_for waits
kill -URG "$(head -n 1 "$out")"
wait $!
is "$? $(sed -n 3p "$out")" "0 42 1 in time" "a signal while the load waits is handled in time"
is "$(counts)" "at_$place $(sed -n 4p "$out") 0" "each load is counted once"
is "$(jumps)" 0 "the jump is gone with the program"
count_end
