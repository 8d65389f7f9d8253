#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: probes on files that are deleted, replaced, truncated, overlaid, or in a huge page
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 16

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
	mkfifo "$tmp/fifo"
	"$1" <"$tmp/fifo" >"$out" &
	exec 3>"$tmp/fifo"
	until_is 1 lines
}
steps_of "$tmp/prog"
rm "$tmp/prog"
is "$(step call 10)" "call 3145" "a file that is deleted while it runs"
is "$(hits 0)" 10 "is probed"
mv "$tmp/other" "$tmp/prog"
is "$(run_steps "$tmp/prog")" "call 3145" "a file that takes its place"
is "$(hits 0)" 10 "is not"
check "its exec does" step exec
step call 1 >/dev/null
is "$(hits 0)" 11 "a process that executes the deleted file anew is probed"
end_steps
run unregister 0

# Truncated: registering beyond its end fails, and what runs dies of it as it would unprobed.
head -c 100 "$progs/steps" >"$tmp/short"
set_probe 1 path="$tmp/short" offset="$offset"
check_fails "a file that ends before the offset" run register 1

mkdir "$tmp/lower" "$tmp/upper" "$tmp/work" "$tmp/merged"
cp "$progs/steps" "$tmp/lower/prog"
if mount -t overlay overlay -o "lowerdir=$tmp/lower,upperdir=$tmp/upper,workdir=$tmp/work" "$tmp/merged"; then
	set_probe 2 path="$tmp/merged/prog" offset="$offset"
	check "a file of an overlay" run register 2
	is "$(run_steps "$tmp/merged/prog")" "call 3145" "overlay: runs"
	is "$(hits 2)" 10 "overlay: is probed"
	run_steps "$tmp/lower/prog" >/dev/null
	is "$(hits 2)" 20 "overlay: as is the file below, which is the same"
	run unregister 2
	set_probe 4 inode="$tmp/merged/prog" offset="$offset"
	check "overlay: by its inode" run register 4
	run_steps "$tmp/merged/prog" >/dev/null
	is "$(hits 4)" 10 "overlay: is probed by its inode"
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
	is "$(run_steps "$tmp/huge/prog")" "call 3145" "huge pages: runs"
	is "$(hits 3)" 10 "huge pages: is probed"
	run unregister 3
	check "huge pages: the file is what it was" cmp "$progs/steps" "$tmp/huge/prog"
	umount "$tmp/huge"
else
	for what in 1 2 3; do skip "huge pages $what" "this kernel's tmpfs has none"; done
fi
