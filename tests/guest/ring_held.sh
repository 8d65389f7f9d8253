#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: while somebody needs the moment of a hit, hits trap instead of going to rings
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
. "$UPROBES_TOP/tests/guest/jump.inc"
. "$UPROBES_TOP/tests/guest/ring.inc"
has_tracefs || skip_all "this kernel has no uprobe_events"
ktap_plan 18

# late: print how many records the trace has that were written later than the hit: those of rings have the time of
# the hit, and several were written together. Traps of an emulated processor are microseconds apart.
late() {
	lines | awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) n[$i]++ }
		END { for (t in n) if (n[t] > 2) late += n[t]; print late + 0 }'
}

# go WHAT: call 600 times, and check that all are recorded.
go() {
	: >$dir/trace
	tell run 1 600 >/dev/null
	is "$(lines | sound)" 600 "$1: all hits are recorded"
}

jump 1
clear
define "p:g/calls $call a=%di:s32 b=%si:s64"
enable
ringed
check "the place needs no trap" warm
go "from rings"
check "they come from rings" [ "$(late)" -gt 60 ]

echo 1 >$tracefs/events/uprobes_ko/hit/enable
: >$tracefs/trace
go "with a listener"
is "$(late)" 0 "with a listener, they trap"
is "$(grep -c 'g:calls: ' $tracefs/trace)" 600 "the listener has all of them"
echo 0 >$tracefs/events/uprobes_ko/hit/enable
go "without the listener"
check "without the listener, they come from rings again" [ "$(late)" -gt 60 ]

echo userstacktrace >$dir/trace_options
: >$dir/trace
tell run 1 600 >/dev/null
is "$(grep -c 'user stack trace' $dir/trace)" 600 "with user stacks, each has one"
echo nouserstacktrace >$dir/trace_options
go "without stacks"
check "without stacks, they come from rings again" [ "$(late)" -gt 60 ]

check "an event is published" sh -c "echo 1 >$dir/events/g/calls/synthetic"
go "published"
is "$(late)" 0 "published hits trap"
check "it is published no longer" sh -c "echo 0 >$dir/events/g/calls/synthetic"

# Without pages, all hits trap.
disable
ringed_end
was=$(cat /sys/module/uprobes/parameters/ring_pages)
echo 0 >/sys/module/uprobes/parameters/ring_pages
enable
ringed
tell run 2 300 >/dev/null
sleep 0.5
go "without pages"
is "$(late)" 0 "without pages for rings, all hits trap"
for _ in {1..8}; do
	tell run 1 100 >/dev/null
	sleep 0.3
done
is "$(grep -c 'rw-s.*uprobes' /proc/$pid/maps)" 0 "attempts leave nothing in the process"
echo "$was" >/sys/module/uprobes/parameters/ring_pages
disable
ringed_end
