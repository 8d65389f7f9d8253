#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a kernel call fails while a module is loaded, insmod reports the error and nothing is left
# once: the code that fails is the same on all kernels
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/inject.inc"
tmp=$(mktemp -d)

ktap_plan 5

for ko in "$UPROBES_KO" "$UPROBES_TRACE_KO"; do
	strip -g -o "$tmp/${ko##*/}" "$ko"
done
rmmod uprobes_trace uprobes

# load_engine PATTERN, load_tracer PATTERN: load a module while the calls that PATTERN selects fail.
load_engine() {
	insmod "$tmp/uprobes.ko" "inject=$1"
}
load_tracer() {
	echo "$1" >$inject
	insmod "$tmp/uprobes_trace.ko"
}

# each_load HOW FILE...: load a module by HOW again and again until no call fails. FILES are there only
# while the module is loaded. One result.
each_load() {
	local how=$1 n said site left wrong=0 failed=0

	shift
	for ((n = 1 + RANDOM % stride; n < 200; n += stride)); do
		echo "inject-round $how $n" >/dev/kmsg
		said=$($how "*:$n" 2>&1) && break
		site=$(dmesg | sed -n 's/.*uprobes: inject: \(.*\) fails$/\1/p' | tail -n 1)
		failed_at[$site]=1
		failed=$((failed + 1))
		left=$(ls -d "$@" 2>/dev/null)
		if [[ $said != *"Cannot allocate memory"* || -n $left ]]; then
			wrong=$((wrong + 1))
			diag "$how, $site fails: $said $left"
		fi
	done
	is "$wrong $(cat $inject)" "0 none" "$how: insmod fails and leaves nothing for each of $failed failed calls"
	echo off >$inject
}
each_load load_engine /sys/module/uprobes /sys/kernel/debug/uprobes-inject
each_load load_tracer /sys/module/uprobes_trace /sys/kernel/debug/uprobes
listed_failed

# not_opened FILE HOW SITE: If loading fails, the kernel frees the module even if somebody has one of its
# files open. So FILE cannot be opened as long as SITE can fail.
not_opened() {
	rm -f "$tmp"/{opened,over}
	(
		until exec 3<"/sys/kernel/debug/$1" 2>/dev/null; do
			[ ! -e "$tmp/over" ] || exit
		done
		echo "it was opened" >"$tmp/opened"
		wait_until "loading has ended" test -e "$tmp/over"
	) 2>/dev/null &
	$2 "$3:1" 2>/dev/null && diag "the module was loaded although a call failed"
	: >"$tmp/over"
	wait
	is "$(cat "$tmp/opened" 2>&1)" "cat: $tmp/opened: No such file or directory" \
		"$1 cannot be opened as long as loading can fail"
}
rmmod uprobes_trace
not_opened uprobes/uprobe_events load_tracer percpu.tracer_percpu_init.debugfs_create_dir
rmmod uprobes
not_opened uprobes-inject load_engine trap.arch_trap_init.register_die_notifier
