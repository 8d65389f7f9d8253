#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a kernel call fails while the module is loaded, insmod reports the error and nothing is left
# once: the code that fails is the same on all kernels
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/inject.inc"
tmp=$(mktemp -d)

ktap_plan 4

ko=$tmp/uprobes.ko
strip -g -o "$ko" "$UPROBES_KO"
rmmod uprobes
wrong=0
for ((n = 1 + RANDOM % stride; n < 200; n += stride)); do
	echo "inject-round load $n" >/dev/kmsg
	said=$(insmod "$ko" "inject=*:$n" 2>&1) && break
	site=$(dmesg | sed -n 's/.*uprobes: inject: \(.*\) fails$/\1/p' | tail -n 1)
	failed_at[$site]=1
	if [[ $said != *"Cannot allocate memory"* ]] || [ -e /sys/module/uprobes ] ||
	   [ -e /sys/kernel/debug/uprobes ] || [ -e /sys/kernel/debug/uprobes-inject ]; then
		wrong=$((wrong + 1))
		diag "loading, $site fails: $said $(ls -d /sys/module/uprobes /sys/kernel/debug/uprobes* 2>&1)"
	fi
done
is "$wrong $(cat $inject)" "0 none" "insmod fails and leaves nothing for each of ${#failed_at[@]} failed calls"
echo off >$inject
listed_failed

# If loading fails, the kernel frees the module even if somebody has one of its files open.
for file in uprobes-inject uprobes/uprobe_events; do
	rmmod uprobes
	rm -f "$tmp"/{opened,over}
	(
		until exec 3<"/sys/kernel/debug/$file" 2>/dev/null; do
			[ ! -e "$tmp/over" ] || exit
		done
		echo "it was opened" >"$tmp/opened"
		wait_until "loading has ended" test -e "$tmp/over"
	) 2>/dev/null &
	insmod "$ko" inject=options.tracer_options_init.debugfs_create_dir:1 2>/dev/null &&
		diag "the module was loaded although a call failed"
	: >"$tmp/over"
	wait
	is "$(cat "$tmp/opened" 2>&1)" "cat: $tmp/opened: No such file or directory" \
		"$file cannot be opened as long as loading can fail"
	insmod "$ko"
done
