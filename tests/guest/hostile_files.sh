#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: files that a return-probed program maps as code cost whoever probes it no hours, no log, and leave nothing in it
# once: what decides here is the module, in the same way on all kernels
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
. "$UPROBES_TOP/tests/guest/hostile.inc"

hostile=$UPROBES_TOP/build/progs/hostile_files
libc=$(ldd /bin/bash | awk '/libc.so/ { print $3 }')
# Called by nobody here.
place=$libc:0x$(readelf -Ws --dyn-syms "$libc" | awk '$8 ~ /^getpgid@/ { print $2; exit }')

# begin WHAT...: the program, until it is ready.
begin() {
	rm -f "$tmp/in" "$tmp/said"
	mkfifo "$tmp/in"
	"$hostile" "$@" <"$tmp/in" >"$tmp/said" &
	pid=$!
	exec 4>"$tmp/in"
	wait_until "the program is ready" grep -qx ready "$tmp/said"
}

# ends: the program does, and well.
ends() {
	exec 4>&-
	wait $pid
}

ktap_plan 13
clear
bystander_start
define "r:ret $place"

# Each is read once, and not without end.
begin symbols 300
check "a program with many names, mapped 300 times, can be return-probed" \
	timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) sh -c "echo 1 >$dir/events/uprobes/ret/enable"
check "and is left alone again" \
	timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) sh -c "echo 0 >$dir/events/uprobes/ret/enable"
echo >&4
check "it ends well" ends
bystander_fine "names"

begin junk 300
enable
echo "hostile_files: junk" >/dev/kmsg
echo >&4
wait_until "it has mapped them" grep -qx done "$tmp/said"
noted=$(dmesg | sed '1,/hostile_files: junk/d' | grep -c "no instruction is there")
check "unwinders that are no code are noted ($noted times)" test "$noted" -gt 0
check "but not each time" test "$noted" -lt 300
check "the program ends well" ends
bystander_fine "junk"
disable

# What is mapped while the last return probe goes is not probed after that.
begin maps
echo >&4
wait_until "it maps" grep -qx done "$tmp/said"
for i in $(seq 30); do
	enable
	disable
done
kill -STOP $pid
wait_until "it is stopped" grep -q '^State:.T' /proc/$pid/status
as_in_file() { "$UPROBES_TOP/build/progs/textcmp" $pid >"$tmp/text"; }
check "no breakpoint is left in the text of a program that maps code meanwhile" in_time as_in_file
kill -CONT $pid
check "which ends well" ends
bystander_fine "maps"
clear
all_gone
