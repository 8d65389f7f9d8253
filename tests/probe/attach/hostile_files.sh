#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a return-probed program that maps strange files as code cannot delay a client, flood the log or keep breakpoints
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/hostile.inc"

hostile=$UPROBES_TOP/build/progs/hostile_files
libc=$(ldd /bin/bash | awk '/libc.so/ { print $3 }')
# getpgid(), which no other process here calls.
place=$libc:0x$(readelf -Ws --dyn-syms "$libc" | awk '$8 ~ /^getpgid@/ { print $2; exit }')

# begin WHAT...: start the program, and wait until it is ready.
begin() {
	rm -f "$tmp/in" "$tmp/said"
	mkfifo "$tmp/in"
	"$hostile" "$@" <"$tmp/in" >"$tmp/said" &
	pid=$!
	exec 4>"$tmp/in"
	wait_until "the program is ready" grep -qx ready "$tmp/said"
}

# ends: let the program end; true if its status is 0.
ends() {
	exec 4>&-
	wait $pid
}

ktap_plan 18
clear
bystander_start
define "r:ret $place"

# The module must read each file only once, and within limits.
maps=50
[ -z "${FULL:-}" ] || maps=300
begin symbols $maps
check "names: a program that maps a file with many names $maps times can be return-probed in time" \
	timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) sh -c "echo 1 >$dir/events/uprobes/ret/enable"
echo >&4
wait_until "the program's call returns" grep -qx done "$tmp/said"
is "$(awk '$2 == "ret" { print $3, $4 }' $dir/uprobe_profile)" "1 0" "names: the return is recorded"
check "names: the return probe can be disabled in time" \
	timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) sh -c "echo 0 >$dir/events/uprobes/ret/enable"
check "names: the program ends with status 0" ends
bystander_fine "names"

begin junk $maps
enable
echo "hostile_files: junk" >/dev/kmsg
echo >&4
wait_until "the program has mapped the files" grep -qx done "$tmp/said"
noted=$(dmesg | sed '1,/hostile_files: junk/d' | grep -c "no instruction is there")
check "junk: unwinders that are no code are logged ($noted times)" test "$noted" -gt 0
check "junk: they are not logged for each mapping" test "$noted" -lt $maps
check "junk: the program ends with status 0" ends
bystander_fine "junk"
disable

# Mappings that appear while the last return probe is disabled must not keep breakpoints.
begin maps
echo >&4
wait_until "the program maps code" grep -qx done "$tmp/said"
for i in $(seq $((maps / 10))); do
	enable
	disable
done
kill -STOP $pid
wait_until "the program is stopped" grep -q '^State:.T' /proc/$pid/status
as_in_file() { "$UPROBES_TOP/build/progs/textcmp" $pid >"$tmp/text"; }
check "maps: no breakpoint is left in a program that maps code all the time" in_time as_in_file
kill -CONT $pid
check "maps: the program ends with status 0" ends
bystander_fine "maps"
clear

# If a file system does not answer, only a program that maps its file may wait, when it calls the function.
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
	check "not answered: a program with a file that cannot be read can be return-probed in time" \
		timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) sh -c "echo 1 >$dir/events/uprobes/ret/enable"
	echo >&4
	wait_until "the program's call reads the file" grep -q waits "$tmp/serves"
	echo serve >&5
	wait_until "the program's call returns" grep -qx done "$tmp/said"
	is "$(awk '$2 == "ret" { print $3, $4 }' $dir/uprobe_profile)" "1 0" \
		"not answered: the program's call waits for the file, and its return is recorded"
	check "not answered: the program ends with status 0" ends
	exec 5>&-
	wait $server
	bystander_fine "not answered"
	clear
else
	for _ in 1 2 3 4; do skip "a program with a file that cannot be read" "this kernel has no FUSE"; done
fi
all_gone
