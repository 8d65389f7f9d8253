#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: probes on an instruction and behind its prefix count their own hits, enabled and disabled in either order
# once: the result depends on the module only, not on the kernel
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 18

control=/sys/kernel/debug/uprobes
prog=$tmp/overlap

hits() {
	awk '{ n[$2] = $3 + 0 } END { print n["locked"], n["plain"] }' "$control/uprobe_profile"
}

lines=0
# another WHAT: have the program do one more round, with the right sum. One result.
another() {
	echo >&3
	lines=$((lines + 1))
	wait_for "sum $((100 * lines))\$"
	is $? 0 "$1: the program's sum is right"
}

for order in "locked plain" "plain locked"; do
	for gone in "locked plain" "plain locked"; do
		cp "$progs/overlap" "$prog"
		{
			echo "p:locked $prog:0x$(symbol "$prog" add_locked)"
			echo "p:plain $prog:0x$(symbol "$prog" add_plain)"
		} >"$control/uprobe_events"
		start_program ready "$prog" 100
		lines=0
		for event in $order; do
			echo 1 >"$control/events/uprobes/$event/enable"
		done
		another "$order enabled"
		is "$(hits)" "50 50" "$order enabled: each probe counts its own hits"
		set -- $gone
		echo 0 >"$control/events/uprobes/$1/enable"
		# A prefix cannot be executed by itself in front of a breakpoint.
		[ "$1" = locked ] || another "$1 disabled"
		echo 0 >"$control/events/uprobes/$2/enable"
		check "$gone disabled: no breakpoint is left in the text" "$progs/textcmp" $!
		another "$gone disabled"
		exec 3>&-
		wait $!
		rm "$tmp/in" "$prog"
		echo >"$control/uprobe_events"
	done
done
