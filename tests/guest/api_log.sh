#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: what only the process or the file shows is refused with its errno, and the kernel log says what it was
# once: what decides here is the module, in the same way on all kernels
# timeout: 120
# boot: --append proc_mem.force_override=always

# The latter since a kernel may let only debuggers write to text by way of /proc/PID/mem (6.12).
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 54

# refused ERROR LOG-PATTERN FIELD=VALUE...: probe 0, which is like that and else unset.
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

# The text as the caller knows it, 48 83 c7 64, and as he does not.
refused "Invalid or incomplete multibyte or wide character" \
	"$progs/steps: offset 0x[0-9a-f]+ holds other bytes \(48 83 c7 64.*\) than the caller expects \(48 83 c7 65\)" \
	path="$progs/steps" offset="$offset" expect=4883c765
refused "Invalid or incomplete multibyte or wide character" \
	"$work cannot be probed: other bytes \(48 83 c7 64.*\) than the caller expects \(48 83 c7 65\)" \
	pid="$pid" vaddr="$work" expect=4883c765
set_probe 1 pid="$pid" vaddr="$work" expect=4883c764 flags=1
check "with the right bytes it is probed" run register 1
is "$(step call 2) $(hits 1)" "call 605 2" "and hit"

# What the caller got wrong.
like "$(run register 1 2>&1)" ": Device or resource busy\$" "a registered probe cannot be registered"
refused "Invalid argument" "a probe cannot be registered: it has no handler" pid="$pid" vaddr="$work" handler=0
refused "Invalid argument" "a probe cannot be registered: it has no handler" pid="$pid" vaddr="$work" returns=1 handler=0
refused "Invalid argument" "flags has bits that mean nothing" pid="$pid" vaddr="$work" flags=0x100
refused "Invalid argument" "a filter is for probes on a file" pid="$pid" vaddr="$work" only="$pid"
refused "Invalid argument" "data_size is above URETPROBE_DATA_MAX" pid="$pid" vaddr="$work" returns=1 data=1000000

# The module's own memory.
area=$(awk '/\[uprobes\]/ { print "0x" substr($1, 1, index($1, "-") - 1); exit }' "/proc/$pid/maps")
refused "Invalid argument" "it lies in the SSOL area" pid="$pid" vaddr="$area"
refused "Invalid argument" "it lies in the SSOL area" pid="$pid" vaddr=$((area + 64))

# Text that is written over while it is probed.
printf '\x48\x83\xc7\x65' | dd of="/proc/$pid/mem" bs=4 seek=$((work)) oflag=seek_bytes conv=notrunc status=none
refused "Device or resource busy" "$work cannot be probed: its text changed under another probe" \
	pid="$pid" vaddr="$work"
is "$(step call 2) $(hits 1)" "call 611 2" "what was written is executed"
run unregister 1
is "$(step call 2)" "call 611" "also when the other probe has gone"
end_steps
is $? 0 "the program ends well"

# What is no instruction, in a process.
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

# Text whose file was cut off while it was mapped.
cp "$progs/steps_library" "$tmp/cut"
steps
step load "$tmp/cut" >/dev/null
at=$(symbol_in "$pid" "$tmp/cut" library_work)
: >"$tmp/cut"
refused "Input/output error" "$at cannot be probed: the text cannot be read" pid="$pid" vaddr="$at"
step exec >/dev/null
end_steps
is $? 0 "the program ends well"

# No room for the area.
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
	is $? 0 "$thing: the program goes on"
	exec 4>&-
done

# A program of Go's, as far as anyone can tell.
go=$progs/like_go
offset=$(uprobe offset "$go" goes | sed 's/.*://')
refused "Operation not permitted" "$go: a return probe would break this Go program" \
	path="$go" offset="$offset" returns=1
dmesg -C
like "$(run check 0 2>&1)" ": Operation not permitted\$" "uretprobe_check() finds the same"
like "$(dmesg)" "uprobes: $go: a return probe would break" "and says so"
set_probe 2 path="$go" offset="$offset" flags=1 returns=0
check "uprobe_check() finds that its entry can be probed" run check 2
check "its entry can be probed" run register 2
is "$("$go") $(hits 2)" "42 1" "and is"
run unregister 2

# The same of OCaml's.
ocaml=$progs/like_ocaml
offset_ocaml=$(uprobe offset "$ocaml" follows | sed 's/.*://')
refused "Operation not permitted" "$ocaml: a return probe would break this OCaml program" \
	path="$ocaml" offset="$offset_ocaml" returns=1
is "$("$ocaml")" 42 "which works without"

# What says nothing of a file, or too much.
set_probe 3 pid="$$" vaddr=4096 flags=1
dmesg -C
like "$(run check 3 2>&1)" ": Invalid argument\$" "uprobe_check() without a file"
like "$(dmesg)" "uprobes: a place cannot be checked: none of path, file and inode is set" "and says so"
set_probe 3 pid=0 vaddr=0 path="$go" offset="$offset" expect=e8e8e8e8e8
like "$(run check 3 2>&1)" ": Invalid or incomplete multibyte or wide character\$" "uprobe_check() with other bytes"

# A real one, built or packed in a way that leaves out the note by which they say that they are Go's.
objcopy --remove-section .note.go.buildid "$(command -v gron)" "$tmp/gron"
refused "Operation not permitted" "$tmp/gron: a return probe would break this Go program" \
	path="$tmp/gron" offset="$(uprobe offset gron main.main | sed 's/.*://')" returns=1

# Reading such a file takes locks.
short=/sys/kernel/uevent_seqnum
refused "Invalid argument" "$short cannot be probed: nothing in its file system can be executed" path=$short offset=0xf00
