#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the sample clients do what they are documented to do
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 16

libc=$(ldd /bin/sh | awk '/libc.so/ { print $3 }')

# Latency: sleep(1) spends its time in one call of clock_nanosleep().
check "latency: loads" insmod "$UPROBES_SAMPLES/uretprobe_latency.ko" path="$libc" offset="$(uprobe offset "$libc" clock_nanosleep | sed 's/.*:0x/0x/')"
for _ in 1 2 3; do
	sleep 0.2
done
histogram=$(cat /sys/module/uretprobe_latency/parameters/histogram)
is "$(echo "$histogram" | awk '{ n += $2 } END { print n }')" 3 "latency: all calls are in the histogram"
check "latency: none took less than 134 ms" test "$(echo "$histogram" | head -n 1 | cut -d' ' -f1)" -ge 134217728
rmmod uretprobe_latency
like "$(dmesg | tail -n 3)" "3 calls, 0 that could not be followed" "latency: it logs the number of calls when it unloads"

# A string in a page that the program has never touched.
check "string: loads" insmod "$UPROBES_SAMPLES/uprobe_string.ko" path="$libc" offset="$(uprobe offset "$libc" unlink | sed 's/.*:0x/0x/')"
"$progs/untouched" "$progs/untouched" unlink
is "$(cat /sys/module/uprobe_string/parameters/last)" "/nowhere/the/name/that/untouched/has/in/its/file" \
	"string: a string in an absent page is read from the file"
is "$(cat /sys/module/uprobe_string/parameters/faults)" 1 "string: a bad pointer is counted"
rmmod uprobe_string

# A probe on a file, in the processes of one user.
counter=$(readelf -lW "$progs/steps" | awk '$1 == "LOAD" { print $2, $3, $6 }' | while read -r off addr size; do
	value=0x$(nm -D "$progs/steps" | awk '$3 == "steps_counter" { print $1 }')
	[ $((value >= addr && value < addr + size)) = 0 ] || echo $((value - addr + off))
done)
check "file: loads" insmod "$UPROBES_SAMPLES/uprobe_file.ko" path="$progs/steps" offset="0x$(symbol "$progs/steps" work)" ref_ctr="$counter" uid=65534
is "$(printf 'call 10\ncounter\n' | "$progs/steps" | tail -n 1)" "counter 0" "file: a process of root is not probed"
is "$(cat /sys/module/uprobe_file/parameters/hits)" 0 "file: a process of root is not counted"
is "$(printf 'call 10\ncounter\n' | setpriv --reuid 65534 --clear-groups "$progs/steps" | tail -n 1)" "counter 1" \
	"file: the reference counter is up in a process of nobody"
is "$(cat /sys/module/uprobe_file/parameters/hits)" 10 "file: a process of nobody is counted"
rmmod uprobe_file

# Calls with a large third argument: dd writes 3 MB, 1 KB at a time, and then 2 MB at once.
written() {
	dd if=/dev/zero of=/dev/null bs=1k count=300 2>/dev/null
	dd if=/dev/zero of=/dev/null bs=2M count=1 2>/dev/null
	cat /sys/module/uprobe_large/parameters/hits
}
check "large: loads" insmod "$UPROBES_SAMPLES/uprobe_large.ko" path="$libc" offset="$(uprobe offset "$libc" write | sed 's/.*:0x/0x/')"
is "$(written)" 1 "large: only the large one of 301 writes is a hit"
check "large: the limit is changed" sh -c 'echo 1024 >/sys/module/uprobe_large/parameters/least'
is "$(written)" 302 "large: then all writes are hits"
rmmod uprobe_large
