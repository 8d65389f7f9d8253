#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each allocation and copy that the kernel makes for the module can fail, where the kernel can have it fail
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"

[ -e /proc/self/fail-nth ] || skip_all "this kernel has no fault injection"
for fault in failslab fail_page_alloc; do
	echo N >/sys/kernel/debug/$fault/ignore-gfp-wait
	echo 0 >/sys/kernel/debug/$fault/verbose
done
echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
echo 0 >/sys/kernel/debug/fail_usercopy/verbose
. "$UPROBES_TOP/tests/guest/client.inc"
dir=/sys/kernel/debug/uprobes

ktap_plan 12

steps
offset=$(uprobe offset "$progs/steps" work)
offset=${offset##*:}
n=0
for what in "pid=$pid vaddr=$work" "pid=$pid vaddr=$work flags=1" \
	    "pid=$pid vaddr=$work returns=1 data=64 entry=1" "path=$progs/steps offset=$offset" \
	    "path=$progs/steps offset=$offset returns=1"; do
	set_probe $n $what
	check "registering ${what//0x*([0-9a-f])/}" "$progs/fail_nth" $client_dir/run "register $n" \
		$client_dir/run "unregister $n"
	n=$((n + 1))
done
set_probe 9 pid=$pid vaddr=$work flags=2
run register 9
check "enabling" "$progs/fail_nth" $client_dir/run "enable 9" $client_dir/run "disable 9"
run unregister 9
check "the text is as it was" "$progs/textcmp" $pid
is "$(step call 3)" "call 912" "the program goes on"

definition="p:e $progs/steps:$offset n=%di:u64 s=+0(%si):string"
check "defining" "$progs/fail_nth" $dir/uprobe_events "$definition" $dir/uprobe_events "-:e"
echo "$definition" >>$dir/uprobe_events
check "enabling an event" "$progs/fail_nth" $dir/events/uprobes/e/enable 1 \
	$dir/events/uprobes/e/enable 0
check "a filter" "$progs/fail_nth" $dir/events/uprobes/e/filter 'n > 5 && comm == "x"' \
	$dir/events/uprobes/e/filter 0
echo >$dir/uprobe_events
check "the module goes" sh -c "rmmod uprobe_client && rmmod uprobes && insmod $UPROBES_KO"
ktap_at_exit=
