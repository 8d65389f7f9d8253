#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: while rings are closed, a program that opens its own gains no record; threads give up the clock at the same time
# full: ring_hostile and ring_ends have one of each
# once: ring_ends covers the differences between kernels
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/ring.inc"
has_tracefs || skip_all "this kernel has no uprobe_events"
ktap_plan 9

jump 1
clear
define "p:g/calls $call a=%di:s32 b=%si:s64"
enable
ringed
check "the place needs no trap" warm
# The listener needs the moment of each hit.
echo 1 >$tracefs/events/uprobes_ko/hit/enable
tell run 2 200 >/dev/null
: >$dir/trace
: >$tracefs/trace
is "$(tell open 2000)" opened "the program has opened its rings before each call"
recorded=$(lines | grep -c ' calls: ')
is "$(grep -c 'g:calls: ' $tracefs/trace)" "$recorded" "the listener has got each hit that is recorded"
# Its rings stay open until it loses both processors, which may take longer on a busy machine.
for _ in $(tries 10); do
	tell run 4 1500 >/dev/null
	: >$tracefs/trace
	tell run 1 600 >/dev/null
	got=$(grep -c 'g:calls: ' $tracefs/trace)
	[ "$got" != 600 ] || break
done
is "$got" 600 "it gets all hits of a program that leaves its rings alone"
echo 0 >$tracefs/events/uprobes_ko/hit/enable
disable
ringed_end

clear
define "p:calls $call a=%di:s32 b=%si:s64"
enable
ringed
check "the place needs no trap" warm
: >$dir/trace
is "$(tell forbid_all 60 50)" called "sixty threads that give up the clock do not notice"
is "$(lines | wc -l)" 12000 "all their records are there"
is "$(jumps)" 0 "no place has a pad that reads the clock"
disable
ringed_end
is $? 0 "the program ends with status 0"
