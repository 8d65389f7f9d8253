#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if there are as many events as possible, a new one is refused with that reason, and the others go on
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
ktap_plan 15

# There are 65,535 IDs, and defining so many events takes long. Instead, make the allocation of an ID fail.
inject=/sys/module/uprobes/parameters/inject
full() { echo format.tracer_format_create.idr_alloc_cyclic:1+ >$inject; }
free() { echo off >$inject; }
at_exit free

clear
tick=$(where tick)
define "p:one $tick n=%di:u64"
enable
before=$(cat $dir/uprobe_events)
full
said=$(define "p:two $tick n=%di:u64" 2>&1)
like "$said" ": No space left on device\$" "a new event is refused with ENOSPC"
like "$(sed -n 1p $dir/error_log)" "^\[.*\] trace_uprobe: error: Too many events; remove some first$" \
	"error_log says that there are too many events"
is "$(sed -n 2p $dir/error_log)" "  Command: p:two $tick n=%di:u64" "error_log has the refused line"
check_fails "an event of another group is refused" define "r:other/two $tick"
is "$(cat $dir/uprobe_events)" "$before" "the definitions are unchanged"
is "$(cd $dir/events && find . -type d | sort | xargs)" ". ./uprobes ./uprobes/one" "the directories are unchanged"
"$prog" ticks 1 3
is "$(awk '$2 == "one" { print $3 }' $dir/uprobe_profile)" 3 "the existing event is hit"
is "$(grep -c 'one:' $dir/trace)" 3 "the hits of the existing event are recorded"

# Another place of an event takes no ID.
disable
check "another place of an event can be defined" define "p:one $(where text) n=%di:u64"
: >$dir/error_log
printf 'p:one %s n=%%si:u64\np:three %s\np:four %s\n' "$tick" "$tick" "$tick" >"$tmp/lines"
check_fails "a write of several lines fails if one of them is an event too many" \
	dd if="$tmp/lines" of=$dir/uprobe_events bs=4096 oflag=append conv=notrunc
like "$(cat $dir/error_log)" "error: Too many events; remove some first \(line 2\)$" \
	"error_log has the number of that line"
is "$(wc -l <$dir/uprobe_events)" 3 "the lines before it are defined"

free
check "the event can be defined when there is an ID again" define "p:two $tick n=%di:u64"
: >$dir/trace
enable
"$prog" ticks 1 3
is "$(grep -c 'two:' $dir/trace)" 3 "the event that was refused before is hit"
clear
is "$(cat $dir/uprobe_events)" "" "all events can be removed"
