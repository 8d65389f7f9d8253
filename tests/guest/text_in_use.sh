#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: text that CPUs are executing while breakpoints come and go is executed as it is then
# cpus: 2
# once: what decides here is the module, in the same way on all kernels
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

rounds=2
[ -z "${FULL:-}" ] || rounds=6

hits() {
	awk '{ print $3 }' $dir/uprobe_profile
}

# once_more: do hits come beyond those that there were?
once_more() {
	local before

	before=$(hits)
	enable
	in_time more_than "$before"
}
more_than() {
	[ "$(hits)" != "$1" ]
}

ktap_plan 3
"$prog" ticks 2 1000000000000000 >"$tmp/out" &
pid=$!
deaf='' dead=''
for ((round = 1; round <= rounds; round++)); do
	define "p:a $(where tick)"
	once_more || deaf+=" $round"
	disable
	once_more || deaf+=" $round"
	rmmod uprobes || dead+=" $round:rmmod"
	# A CPU that still saw a breakpoint would kill the program.
	sleep 0.1
	kill -0 $pid || dead+=" $round"
	load_module
done
is "$deaf" "" "a breakpoint that is put in is seen each time"
is "$dead" "" "one that is taken out is seen no more"
check "the text is that of the file" "$UPROBES_TOP/build/progs/textcmp" "$pid"
kill $pid
