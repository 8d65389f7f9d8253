#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each allocation and copy that a task makes in the module can fail, as the kernel's fault injection has it: the error is right, and nothing is left
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"

[ -e /proc/self/fail-nth ] || [ "$UPROBES_KERNEL" = debug ] ||
	skip_all "this kernel has no fault injection"
# On tmpfs: the file system of the guest's root does not get over a failed request.
held=$(mktemp -d)
cp "$UPROBES_TOP"/build/progs/{steps,steps_library,textcmp,fail_nth} "$held"
mount --bind "$held" "$UPROBES_TOP/build/progs"
at_exit "umount -l $UPROBES_TOP/build/progs"
. "$UPROBES_TOP/tests/guest/inject.inc"
. "$UPROBES_TOP/tests/guest/inject_client.inc"
for fault in failslab fail_page_alloc; do
	echo N >/sys/kernel/debug/$fault/ignore-gfp-wait
done
echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
for fault in failslab fail_page_alloc fail_usercopy; do
	echo 0 >/sys/kernel/debug/$fault/verbose
done
dir=/sys/kernel/debug/uprobes

# fails WHAT FILE TEXT UNDO-TEXT [UNDO-FILE]: TEXT written, with each of the kernel's
# faults on the way.
fails() {
	"$progs/fail_nth" "$2" "$3" "${5:-$2}" "$4" >"$tmp/said" 2>&1
	is $? 0 "$1: $(tail -n 1 "$tmp/said")"
	head -n -1 "$tmp/said" | sed 's/^/# /'
	check "$1: nothing is left" none_left
}

ktap_plan 24

n=0
for what in "a process" "a process, in the trap flags=1" "returns, with data returns=1 data=64 entry=1" \
	    "a child, too, with a counter flags=4 ref=$counter"; do
	set_probe $n $in_process $(echo "$what" | tr ' ' '\n' | grep =)
	fails "registering for $what" $client_dir/run "register $n" "unregister $n"
	n=$((n + 1))
done
for what in "a file" "returns in a file returns=1" "a file with a counter ref=$counter"; do
	set_probe $n $in_file $(echo "$what" | tr ' ' '\n' | grep =)
	fails "registering for $what" $client_dir/run "register $n" "unregister $n"
	n=$((n + 1))
done
set_probe 9 $in_process flags=2
run register 9
"$progs/fail_nth" $client_dir/run "enable 9" $client_dir/run "disable 9" >"$tmp/said" 2>&1
is $? 0 "enabling: $(tail -n 1 "$tmp/said")"
run unregister 9
check "enabling: nothing is left" none_left

definition="p:e $progs/steps:$offset n=%di:u64 s=+0(%si):string"
fails "a definition" $dir/uprobe_events "$definition" "-:e"
echo "$definition" >>$dir/uprobe_events
fails "enabling an event" $dir/events/uprobes/e/enable 1 0
fails "a filter" $dir/events/uprobes/e/filter 'n > 5 && comm == "x"' 0
echo >$dir/uprobe_events
is "$(step call 3)" "call 912" "the program goes on"
check "the module goes" sh -c "rmmod uprobe_client && rmmod uprobes"
load_module
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
