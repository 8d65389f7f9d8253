#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: if the kernel fails to insert its uprobe, or does so in another process, our breakpoint stays ours
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

theirs=/sys/kernel/tracing
[ -e $theirs/uprobe_events ] || skip_all "this kernel has no uprobe_events"
ktap_plan 17

tools=$progs
# The kernel's uprobes do not take every file system.
cp "$progs/steps" "$tmp/steps"
progs=$tmp
at=0x$(symbol "$progs/steps" work)
{
	echo "p:work $progs/steps:$at"
	echo "p:nest $progs/steps:0x$(symbol "$progs/steps" nest)"
} >$theirs/uprobe_events
work_on=$theirs/events/uprobes/work/enable
at_exit 'echo 0 >$theirs/events/uprobes/enable; echo >$theirs/uprobe_events'

"$tools/crowd_forks" 8000 >"$tmp/crowd" &
crowd=$!
at_exit 'kill $crowd 2>/dev/null'
wait_until "processes fork all the time" grep -q ready "$tmp/crowd"

n=0
for beside in "" nest; do
	what="killed while enabling, ${beside:-none} enabled"
	steps
	program=$!
	plain=$(step call 10)
	set_probe $n pid="$pid" vaddr="$work" flags=1
	run register $n
	[ -z "$beside" ] || echo 1 >"$theirs/events/uprobes/$beside/enable"
	check "$what: enabling the kernel's uprobe fails" "$tools/cut_short" $work_on
	is "$(step call 10)" "$plain" "$what: the program's result is right"
	is "$(hits $n) $(missed $n)" "10 0" "$what: our probe has all hits"
	run unregister $n
	is "$(step call 10)" "$plain" "$what: the program's result is right without our probe"
	[ -z "$beside" ] || echo 0 >"$theirs/events/uprobes/$beside/enable"
	check "$what: the text equals the file" "$tools/textcmp" "$pid"
	exec 3>&-
	wait $program
	n=$((n + 1))
done
kill $crowd

# One uprobe of the kernel is on another process of the same file. A second one is on both processes.
"$progs/steps" </dev/zero >"$tmp/other" &
other=$!
wait_until "the other process runs" grep -q . "$tmp/other"
steps
program=$!
plain=$(step call 10)
set_probe $n path="$progs/steps" offset="$at" flags=1
run register $n
echo 1 >$theirs/events/uprobes/nest/enable
mkfifo "$tmp/ask"
"$tools/perf_uprobe" "$progs/steps" "$at" $other <"$tmp/ask" >"$tmp/said" &
perf=$!
exec 4>"$tmp/ask"
wait_until "the kernel's uprobe is on the other process" grep -q open "$tmp/said"
is "$(step call 10)" "$plain" "another process: the program's result is right"
is "$(hits $n) $(missed $n)" "10 0" "another process: our probe has all hits"
exec 4>&-
check "the program that set the kernel's uprobe ends with status 0" wait $perf
is "$(step call 10)" "$plain" "after the kernel's uprobe: the program's result is right"
is "$(hits $n) $(missed $n)" "20 0" "after the kernel's uprobe: our probe has all hits"
run unregister $n
echo 0 >$theirs/events/uprobes/nest/enable
is "$(step call 10)" "$plain" "after both probes: the program's result is right"
check "after both probes: the text equals the file" "$tools/textcmp" "$pid"
kill $other
exec 3>&-
wait $program
