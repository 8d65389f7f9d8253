#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: while somebody needs the moment of a hit, hits trap instead of going to rings
# once: ring_ends covers the differences between kernels
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/ring.inc"
has_tracefs || skip_all "this kernel has no uprobe_events"
ktap_plan 26

# between: print the median time between two hits of the trace, in nanoseconds.
between() {
	lines | awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) { split($i, t, "[.:]")
		now = t[1] % 1000 * 1e9 + t[2]; if (NR > 1) print now - before; before = now } }' |
		sort -n | awk '{ v[NR] = $1 } END { print v[int(NR / 2) + 1] + 0 }'
}

# how: print "traps" or "rings". A trap takes thousands of instructions, a pad some thirty.
how() {
	local now

	now=$(between)
	echo "# $now ns between hits" >&2
	[ $((now * 3)) -lt "$trapped" ] && echo rings || echo traps
}

# says TEXT WHAT: check what instrumentation says of the place.
says() {
	like "$(cat $dir/instrumentation)" "^calls $pid 0x[0-9a-f]+ $1" "$2: instrumentation says so"
}

# go WHAT: call 600 times, and check that all are recorded.
go() {
	: >$dir/trace
	tell run 1 600 >/dev/null
	is "$(lines | sound)" 600 "$1: all hits are recorded"
}

# rings WHAT: call until hits come from rings: a worker gets the pages. Check that all are recorded.
rings() {
	for _ in $(tries 100); do
		: >$dir/trace
		tell run 1 600 >/dev/null
		[ "$(how 2>/dev/null)" = rings ] && break
		sleep 0.1
	done
	is "$(lines | sound)" 600 "$1: all hits are recorded"
	is "$(how)" rings "$1: they come from rings"
}

clear
echo 1 >$dir/options/nanoseconds
at_exit "echo 0 >$dir/options/nanoseconds"
define "p:g/calls $call a=%di:s32 b=%si:s64"
enable
jump 0
ringed
go "by traps"
trapped=$(between)
diag "$trapped ns between traps"
jump 1
check "the place needs no trap" warm
rings "at first"
says 'no trap' "at first"

echo 1 >$tracefs/events/uprobes_ko/hit/enable
: >$tracefs/trace
go "with a listener"
is "$(how)" traps "with a listener, they trap"
is "$(grep -c 'g:calls: ' $tracefs/trace)" 600 "the listener has all of them"
echo 0 >$tracefs/events/uprobes_ko/hit/enable
rings "without the listener"

echo userstacktrace >$dir/trace_options
: >$dir/trace
tell run 1 600 >/dev/null
is "$(grep -c 'user stack trace' $dir/trace)" 600 "with user stacks, each has one"
echo nouserstacktrace >$dir/trace_options
rings "without stacks"

check "an event is published" sh -c "echo 1 >$dir/events/g/calls/synthetic"
go "published"
is "$(how)" traps "published hits trap"
says 'a published event, ' "published"
check "it is published no longer" sh -c "echo 0 >$dir/events/g/calls/synthetic"
says 'no trap' "published no longer"

# The tracer's module goes while there is a listener. uprobes.ko stays, and must not trap for ever.
disable
echo 1 >$tracefs/events/uprobes_ko/hit/enable
check "the tracer's module unloads while tracefs listens" rmmod uprobes_trace
check "it loads again" insmod "$UPROBES_TRACE_KO"
echo 1 >$dir/options/nanoseconds
define "p:g/calls $call a=%di:s32 b=%si:s64"
enable
rings "after a listener has gone with the tracer"

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
is "$(how)" traps "without pages for rings, all hits trap"
for _ in {1..8}; do
	tell run 1 100 >/dev/null
	sleep 0.3
done
is "$(grep -c 'rw-s.*uprobes' /proc/$pid/maps)" 0 "attempts leave nothing in the process"
echo "$was" >/sys/module/uprobes/parameters/ring_pages
disable
ringed_end
