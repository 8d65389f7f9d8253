#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: when there are as many events as there may be, a new one is refused and told so, and the others go on
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"
ktap_plan 15

# There are 65,535 ids; defining so many takes long, so that what gives them out says that it has no more.
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
like "$said" ": No space left on device\$" "ENOSPC"
like "$(sed -n 1p $dir/error_log)" "^\[.*\] trace_uprobe: error: Too many events; remove some first$" "error_log says why"
is "$(sed -n 2p $dir/error_log)" "  Command: p:two $tick n=%di:u64" "and of which line"
check_fails "one of another group is refused" define "r:other/two $tick"
is "$(cat $dir/uprobe_events)" "$before" "the definitions are what they were"
is "$(cd $dir/events && find . -type d | sort | xargs)" ". ./uprobes ./uprobes/one" "so are the directories"
"$prog" ticks 1 3
is "$(awk '$2 == "one" { print $3 }' $dir/uprobe_profile)" 3 "the event that there was is hit"
is "$(grep -c 'one:' $dir/trace)" 3 "and recorded"

# Another place of an event takes no id.
disable
check "another place of an event can be defined" define "p:one $(where text) n=%di:u64"
: >$dir/error_log
printf 'p:one %s n=%%si:u64\np:three %s\np:four %s\n' "$tick" "$tick" "$tick" >"$tmp/lines"
check_fails "several lines in one write fail where one is too many" \
	dd if="$tmp/lines" of=$dir/uprobe_events bs=4096 oflag=append conv=notrunc
like "$(cat $dir/error_log)" "error: Too many events; remove some first \(line 2\)$" "error_log says in which line"
is "$(wc -l <$dir/uprobe_events)" 3 "what was before it stands"

free
check "when there is room again, it can be defined" define "p:two $tick n=%di:u64"
: >$dir/trace
enable
"$prog" ticks 1 3
is "$(grep -c 'two:' $dir/trace)" 3 "and is hit"
clear
is "$(cat $dir/uprobe_events)" "" "all can be removed"
