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
# Called by nobody else here.
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

ktap_plan 18
clear
bystander_start
define "r:ret $place"

# Each is read once, and not without end.
begin symbols 300
check "a program with many names, mapped 300 times, can be return-probed" \
	timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) sh -c "echo 1 >$dir/events/uprobes/ret/enable"
echo >&4
wait_until "its call comes back" grep -qx done "$tmp/said"
is "$(awk '$2 == "ret" { print $3, $4 }' $dir/uprobe_profile)" "1 0" "and is recorded"
check "the program is left alone again" \
	timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) sh -c "echo 0 >$dir/events/uprobes/ret/enable"
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

# What a file system does not answer its own program waits for, when it calls the function.
[ -e /dev/fuse ] || modprobe fuse 2>/dev/null
if [ -e /dev/fuse ]; then
	mkdir "$tmp/dir"
	mkfifo "$tmp/served"
	"$UPROBES_TOP/build/progs/fused" "$tmp/dir" <"$tmp/served" >"$tmp/serves" &
	server=$!
	exec 5>"$tmp/served"
	wait_until "the file system is there" grep -q ready "$tmp/serves"
	begin file "$tmp/dir/text"
	define "r:ret $place"
	check "a program with a file that cannot be read can be return-probed" \
		timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) sh -c "echo 1 >$dir/events/uprobes/ret/enable"
	echo >&4
	wait_until "it reads the file when it calls" grep -q waits "$tmp/serves"
	echo serve >&5
	wait_until "its call comes back" grep -qx done "$tmp/said"
	is "$(awk '$2 == "ret" { print $3, $4 }' $dir/uprobe_profile)" "1 0" "its call waits for the file, and is recorded"
	check "it ends well" ends
	exec 5>&-
	wait $server
	bystander_fine "not answered"
	clear
else
	for _ in 1 2 3 4; do skip "such a file" "this kernel has no FUSE"; done
fi
all_gone
