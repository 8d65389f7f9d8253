#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: CPUs that execute text while breakpoints are inserted and removed see each change
# cpus: 2
# once: the result depends on the module only, not on the kernel
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

rounds=1
[ -z "${FULL:-}" ] || rounds=6

hits() {
	awk '{ print $3 }' $dir/uprobe_profile
}

# once_more: enable the event; true if more hits come.
once_more() {
	local before

	before=$(hits)
	enable
	in_time more_than "$before"
}
more_than() {
	[ "$(hits)" != "$1" ]
}

# Without FULL=1, the program, which is busy all the time, leaves the processor to the test.
leave="nice -n 19"
[ -z "${FULL:-}" ] || leave=
ktap_plan 3
$leave "$prog" ticks 2 1000000000000000 >"$tmp/out" &
pid=$!
deaf='' dead=''
for ((round = 1; round <= rounds; round++)); do
	define "p:a $(where tick)"
	once_more || deaf+=" $round"
	disable
	once_more || deaf+=" $round"
	rmmod uprobes_trace uprobes || dead+=" $round:rmmod"
	# A CPU that still saw a breakpoint would kill the program.
	sleep 0.1
	kill -0 $pid || dead+=" $round"
	load_module
done
is "$deaf" "" "the program hits each breakpoint that is inserted"
is "$dead" "" "no CPU sees a breakpoint that is removed"
check "no breakpoint is left in the program's text" "$UPROBES_TOP/build/progs/textcmp" "$pid"
kill $pid
