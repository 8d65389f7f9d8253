#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: probes follow code that is moved by x32's system calls
# boot: --append syscall.x32=y
# full: it needs a guest of its own, and only the numbers of system calls differ from mappings
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
prog=$tmp/maps
cp "$progs/maps" "$prog"
"$prog" x32 move >"$tmp/plain" || skip_all "this kernel has no x32"
ktap_plan 2

insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$prog" offset="0x$(symbol "$prog" moved)"
"$prog" x32 move >"$tmp/probed"
is "$? $(cat "$tmp/probed")" "0 $(cat "$tmp/plain")" "the output is the same as unprobed"
is "$(param uretprobe_sum returns)" 7 "each call is counted"
rmmod uretprobe_sum
