#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: probes work on deleted, replaced, truncated and overlaid files and in huge pages, or are refused with a reason
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 39

offset=0x$(symbol "$progs/steps" work)
mount -t tmpfs tmpfs "$tmp"
at_exit "umount -l $tmp"
out=$tmp/out
cp "$progs/steps" "$tmp/prog"
cp "$progs/steps" "$tmp/other"

run_steps() {
	printf 'call 10\n' | "$1" | tail -n 1
}

set_probe 0 path="$tmp/prog" offset="$offset"
run register 0
steps_of() {
	rm -f "$tmp/fifo"
	mkfifo "$tmp/fifo"
	: >"$out"
	"$@" <"$tmp/fifo" >"$out" &
	exec 3>"$tmp/fifo"
	until_is 1 lines
}
steps_of "$tmp/prog"
rm "$tmp/prog"
is "$(step call 10)" "call 3145" "a program whose file was deleted has the right result"
is "$(hits 0)" 10 "a program whose file was deleted is probed"
mv "$tmp/other" "$tmp/prog"
is "$(run_steps "$tmp/prog")" "call 3145" "another file of the same path has the right result"
is "$(hits 0)" 10 "another file of the same path is not probed"
check "the process executes the deleted file anew" step exec
step call 1 >/dev/null
is "$(hits 0)" 11 "the deleted file is probed after the exec, too"
end_steps
run unregister 0

# Since 7.3, kernel threads have a file system of their own.
check "a kernel thread registers a probe by the path that everybody sees" run thread-register 0
is "$(run_steps "$tmp/prog") $(hits 0)" "call 3145 21" "and hits are counted"
run unregister 0

# Probes that name the inode instead of a path.
set_probe 9 inode="$tmp/prog" offset="$offset"
steps_of "$tmp/prog"
check "a probe that names an inode is registered" run register 9
is "$(step call 10) $(hits 9)" "call 3145 10" "inode: a running process is probed"
is "$(run_steps "$tmp/prog") $(hits 9)" "call 3145 20" "inode: a later process is probed"
run unregister 9
is "$(step call 10) $(hits 9)" "call 3145 20" "inode: after unregistering, no hit is counted"
end_steps

# Probes that name a file which the client has open.
set_probe 11 file="$tmp/prog" offset="$offset"
steps_of "$tmp/prog"
check "a probe that names an open file is registered" run register 11
is "$(step call 10) $(hits 11)" "call 3145 10" "open file: a running process is probed"
end_steps
run unregister 11
cp "$progs/steps" "$tmp/written"
set_probe 11 writable="$tmp/written"
dmesg -C
like "$(bash -c "LC_ALL=C; echo register 11 >$client_dir/run" 2>&1)" "Bad file descriptor" \
	"a file that is open for writing only is refused"
like "$(dmesg)" "uprobes: written cannot be probed: it is not open for reading" \
	"the log says that the file is not open for reading"
set_probe 11 file="$progs/steps"

# FUSE reads only through an open file. The module can open a path, but not an inode.
[ -e /dev/fuse ] || modprobe fuse 2>/dev/null
if [ -e /dev/fuse ]; then
	mkdir "$tmp/dir"
	mkfifo "$tmp/served"
	"$progs/fused" "$tmp/dir" <"$tmp/served" >"$tmp/said" &
	fused=$!
	exec 4>"$tmp/served"
	echo serve >&4
	wait_until "the file system is there" grep -q done "$tmp/said"
	set_probe 10 inode="$tmp/dir/text"
	dmesg -C
	like "$(bash -c "LC_ALL=C; echo register 10 >$client_dir/run" 2>&1)" "Invalid argument" \
		"FUSE: a probe that names an inode is refused"
	like "$(dmesg)" "uprobes: a file in fuse cannot be probed by its inode: it has to be opened to be read" "FUSE: the log says why"
	set_probe 8 path="$tmp/dir/text"
	check "FUSE: a probe that names a path is registered" run register 8
	echo call >&4
	wait_until "the program has called the function" grep -qx 42 "$tmp/said"
	is "$(hits 8)" 1 "FUSE: this probe is hit"
	run unregister 8
	set_probe 10 inode="$progs/steps" offset=0
	exec 4>&-
	wait $fused
	is $? 0 "FUSE: the server ends with status 0"
else
	for what in 1 2 3 4 5; do skip "FUSE $what" "this kernel has no FUSE"; done
fi

# Truncated files: a probe behind the end is refused, and a program dies of SIGBUS as it would without
# probes.
head -c 100 "$progs/steps" >"$tmp/short"
set_probe 1 path="$tmp/short" offset="$offset"
check_fails "an offset behind the end of the file is refused" run register 1
# A running executable cannot be truncated, but a library can.
lib=$progs/steps_library
cp "$lib" "$tmp/cut"
steps
step load "$tmp/cut" >/dev/null
truncate -s 100 "$tmp/cut"
unprobed=$(step forklib 4)
like "$unprobed" "^library died of signal 7" "without probes, a call of a truncated library dies"
step exec >/dev/null
end_steps
cat "$lib" >"$tmp/cut"
for flags in 0 1; do
	set_probe $((5 + flags)) path="$tmp/cut" offset="$(file_offset "$lib" library_work)" flags=$((flags + 4)) returns=$flags
	run register $((5 + flags))
done
steps
step load "$tmp/cut" >/dev/null
is "$(step forklib 4) $(hits 5) $(hits 6)" "library returned 20 1 1" "a call of the probed library is a hit"
truncate -s 100 "$tmp/cut"
is "$(step forklib 4)" "$unprobed" "a call of the truncated library dies in the same way with probes"
cat "$lib" >"$tmp/cut"
is "$(step forklib 4)" "library returned 20" "when the library is written again, it returns the right value"
step exec >/dev/null
is "$(step call 2)" "call 605" "the rest of the program works on"
end_steps
run unregister 5
run unregister 6

mkdir "$tmp/lower" "$tmp/upper" "$tmp/work" "$tmp/merged"
cp "$progs/steps" "$tmp/lower/prog"
if mount -t overlay overlay -o "lowerdir=$tmp/lower,upperdir=$tmp/upper,workdir=$tmp/work" "$tmp/merged"; then
	set_probe 2 path="$tmp/merged/prog" offset="$offset"
	check "overlay: a probe is registered" run register 2
	is "$(run_steps "$tmp/merged/prog")" "call 3145" "overlay: the program has the right result"
	is "$(hits 2)" 10 "overlay: the program is probed"
	run_steps "$tmp/lower/prog" >/dev/null
	is "$(hits 2)" 20 "overlay: the lower file, which processes map, is probed"
	run unregister 2
	set_probe 4 inode="$tmp/merged/prog" offset="$offset"
	check "overlay: a probe that names the inode is registered" run register 4
	run_steps "$tmp/merged/prog" >/dev/null
	is "$(hits 4)" 10 "overlay: the program is probed by its inode"
	run unregister 4
	umount "$tmp/merged"
else
	for what in 1 2 3 4 5 6; do skip "overlay $what" "this kernel has no overlayfs"; done
fi

# Text in transparent huge pages.
mkdir "$tmp/huge"
if mount -t tmpfs -o huge=always tmpfs "$tmp/huge"; then
	cp "$progs/steps" "$tmp/huge/prog"
	set_probe 3 path="$tmp/huge/prog" offset="$offset"
	run register 3
	is "$(run_steps "$tmp/huge/prog")" "call 3145" "transparent huge pages: the program has the right result"
	is "$(hits 3)" 10 "transparent huge pages: the program is probed"
	run unregister 3
	check "transparent huge pages: the file is unchanged" cmp "$progs/steps" "$tmp/huge/prog"
	umount "$tmp/huge"
else
	for what in 1 2 3; do skip "transparent huge pages $what" "this kernel's tmpfs has none"; done
fi

# A probe in a huge page of hugetlbfs is refused, and the log says why.
mkdir "$tmp/hugetlbfs"
echo 4 >/proc/sys/vm/nr_hugepages
if mount -t hugetlbfs none "$tmp/hugetlbfs"; then
	steps_of "$progs/oddtext" "$tmp/hugetlbfs/text"
	read -r pid at <"$out"
	dmesg -C
	set_probe 7 pid="$pid" vaddr="$at"
	check_fails "hugetlbfs: a probe on a process is refused" run register 7
	like "$(dmesg)" "$at cannot be probed: text on hugetlbfs" "hugetlbfs: the log says why"
	set_probe 8 path="$tmp/hugetlbfs/text" offset=0
	run register 8
	like "$(dmesg)" "text cannot be probed at $at: text on hugetlbfs" \
		"hugetlbfs: for a probe on the file, the log says why it does not attach"
	run unregister 8
	end_steps
	umount "$tmp/hugetlbfs"
else
	for what in 1 2 3; do skip "hugetlbfs $what" "this kernel has none"; done
fi
echo 0 >/proc/sys/vm/nr_hugepages
