#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a probe that does not fit the process or the file is refused with the right errno, and the log says why
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 120
#
# It writes to text by /proc/PID/mem, which needs proc_mem.force_override=always on some kernels.

. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 58

# refused ERROR LOG-PATTERN FIELD=VALUE...: probe 0 with only these fields is refused. Two results.
refused() {
	local error=$1 pattern=$2 said

	shift 2
	set_probe 0 pid=0 vaddr=0 path= offset=0 returns=0 expect= flags=1 handler=1 only=0 data=0 "$@"
	dmesg -C
	said=$(run register 0 2>&1)
	like "$said" ": $error\$" "$error for $*"
	like "$(dmesg)" "uprobes: .*$pattern" "the log says: $pattern"
}

steps
offset=$(uprobe offset "$progs/steps" work | sed 's/.*://')

# The text is 48 83 c7 64: other expected bytes are refused, these are not.
refused "Invalid or incomplete multibyte or wide character" \
	"$progs/steps: offset 0x[0-9a-f]+ holds other bytes \(48 83 c7 64.*\) than the caller expects \(48 83 c7 65\)" \
	path="$progs/steps" offset="$offset" expect=4883c765
refused "Invalid or incomplete multibyte or wide character" \
	"$work cannot be probed: other bytes \(48 83 c7 64.*\) than the caller expects \(48 83 c7 65\)" \
	pid="$pid" vaddr="$work" expect=4883c765
set_probe 1 pid="$pid" vaddr="$work" expect=4883c764 flags=1
check "with the right bytes, the probe is registered" run register 1
is "$(step call 2) $(hits 1)" "call 605 2" "with the right bytes the probe is hit"

# Wrong fields.
like "$(run register 1 2>&1)" ": Device or resource busy\$" "a registered probe cannot be registered again"
refused "Invalid argument" "a probe cannot be registered: it has no handler" pid="$pid" vaddr="$work" handler=0
refused "Invalid argument" "a probe cannot be registered: it has no handler" pid="$pid" vaddr="$work" returns=1 handler=0
refused "Invalid argument" "a probe that only counts has no handlers" pid="$pid" vaddr="$work" flags=8
refused "Invalid argument" "a return probe cannot only count" pid="$pid" vaddr="$work" returns=1 flags=8
refused "Invalid argument" "flags has bits that mean nothing" pid="$pid" vaddr="$work" flags=0x100
refused "Invalid argument" "a filter is for probes on a file" pid="$pid" vaddr="$work" only="$pid"
refused "Invalid argument" "data_size is above URETPROBE_DATA_MAX" pid="$pid" vaddr="$work" returns=1 data=1000000

# Addresses in the module's own memory.
area=$(awk '/\[uprobes\]/ { print "0x" substr($1, 1, index($1, "-") - 1); exit }' "/proc/$pid/maps")
refused "Invalid argument" "it lies in the SSOL area" pid="$pid" vaddr="$area"
refused "Invalid argument" "it lies in the SSOL area" pid="$pid" vaddr=$((area + 64))

# Text that somebody overwrites while it is probed.
printf '\x48\x83\xc7\x65' | dd of="/proc/$pid/mem" bs=4 seek=$((work)) oflag=seek_bytes conv=notrunc status=none
is "$(step call 2) $(hits 1)" "call 611 2" "the overwritten text is executed, without a hit"
set_probe 5 pid="$pid" vaddr="$work" flags=1
dmesg -C
run register 5
like "$(dmesg)" "$work is probed no more: its text changed to other bytes than the caller expects" \
	"the log says that a probe which expects other bytes ends"
is "$(step call 2) $(hits 5)" "call 611 2" "a probe on the overwritten text is hit"
run unregister 1
run unregister 5
is "$(step call 2)" "call 611" "unregistering the probe leaves the overwritten text"
end_steps
is $? 0 "the program whose text was overwritten ends with status 0"

# Bytes that are no instruction, in a process.
odd=$progs/oddtext
mkfifo "$tmp/hold"
: >"$out"
"$odd" <"$tmp/hold" >"$out" &
exec 3>"$tmp/hold"
wait_for .
read -r pid _ <"$out"
refused "Invalid or incomplete multibyte or wide character" "no instruction is there \(06 06" \
	pid="$pid" vaddr="$(symbol_in "$pid" "$odd" undefined)"
exec 3>&-

# Text whose file was truncated while it was mapped.
cp "$progs/steps_library" "$tmp/cut"
steps
step load "$tmp/cut" >/dev/null
at=$(symbol_in "$pid" "$tmp/cut" library_work)
: >"$tmp/cut"
refused "Input/output error" "$at cannot be probed: the text cannot be read" pid="$pid" vaddr="$at"
step exec >/dev/null
end_steps
is $? 0 "the program whose library was truncated ends with status 0"

# Address spaces without room for an SSOL area.
prog=$progs/hostile_space
for thing in near full; do
	rm -f "$tmp/room"
	mkfifo "$tmp/room"
	: >"$out"
	"$prog" $thing <"$tmp/room" >"$out" &
	exec 4>"$tmp/room"
	wait_for ready
	read -r pid <"$out"
	refused "Cannot allocate memory" "no room for the SSOL area within reach" \
		pid="$pid" vaddr="0x$(symbol "$prog" work)"
	echo >&4
	wait_for "sum 14950"
	is $? 0 "$thing: the program still has the right result"
	exec 4>&-
done

# A program that looks like one in Go.
go=$progs/like_go
offset=$(uprobe offset "$go" goes | sed 's/.*://')
refused "Operation not permitted" "$go: a return probe would break this Go program" \
	path="$go" offset="$offset" returns=1
dmesg -C
like "$(run check 0 2>&1)" ": Operation not permitted\$" "uretprobe_check() refuses it with the same error"
like "$(dmesg)" "uprobes: $go: a return probe would break" "uretprobe_check() logs the reason"
set_probe 2 path="$go" offset="$offset" flags=1 returns=0
check "uprobe_check() allows a probe on the entry of a Go function" run check 2
check "a probe on the entry of a Go function is registered" run register 2
is "$("$go") $(hits 2)" "42 1" "the probe on the entry is hit"
run unregister 2

# A program that looks like one in OCaml.
ocaml=$progs/like_ocaml
offset_ocaml=$(uprobe offset "$ocaml" follows | sed 's/.*://')
refused "Operation not permitted" "$ocaml: a return probe would break this OCaml program" \
	path="$ocaml" offset="$offset_ocaml" returns=1
is "$("$ocaml")" 42 "without the return probe, the OCaml program works"

# Checks of a place without a file, and with the wrong bytes.
set_probe 3 pid="$$" vaddr=4096 flags=1
dmesg -C
like "$(run check 3 2>&1)" ": Invalid argument\$" "uprobe_check() refuses a place without a file"
like "$(dmesg)" "uprobes: a place cannot be checked: none of path, file and inode is set" \
	"uprobe_check() logs that no file is set"
set_probe 3 pid=0 vaddr=0 path="$go" offset="$offset" expect=e8e8e8e8e8
like "$(run check 3 2>&1)" ": Invalid or incomplete multibyte or wide character\$" \
	"uprobe_check() refuses other bytes than expected"

# A real Go program. Some builds leave out the note that says so; the module must find out without it.
objcopy --remove-section .note.go.buildid "$(command -v gron)" "$tmp/gron"
refused "Operation not permitted" "$tmp/gron: a return probe would break this Go program" \
	path="$tmp/gron" offset="$(uprobe offset gron main.main | sed 's/.*://')" returns=1

# Reading a file of sysfs takes locks.
short=/sys/kernel/uevent_seqnum
refused "Invalid argument" "$short cannot be probed: nothing in its file system can be executed" path=$short offset=0xf00
