#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: if 32-bit and 64-bit programs execute each other in turn, each is probed according to its mode
# timeout: 120
# needs: /usr/lib32/libc.so.6
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/task.inc"
ktap_plan 9

control=/sys/kernel/debug/uprobes
cp "$progs/hop" "$progs/hop32" "$tmp"
"$tmp/hop" 7 >"$tmp/plain"

for arg in "" "$in_task"; do
	for name in hop hop32; do
		at=0x$(symbol "$tmp/$name" work)
		echo "p:enter_$name $tmp/$name:$at $arg"
		echo "r:leave_$name $tmp/$name:$at value=\$retval:s32"
	done >"$control/uprobe_events"
	echo >"$control/trace"
	echo 1 >"$control/events/uprobes/enable"
	"$tmp/hop" 7 >"$tmp/probed"
	status=$?
	echo 0 >"$control/events/uprobes/enable"
	is "$status $(cat "$tmp/probed")" "0 $(cat "$tmp/plain")" \
		"the result is the same as without probes${arg:+, in task context}"
	calls=$(awk '{ n[$1] += 3 } END { print n[64], n[64], n[32], n[32] }' "$tmp/plain")
	is "$(awk '{ n[$2] = $3 } END { print n["enter_hop"], n["leave_hop"], n["enter_hop32"],
		n["leave_hop32"] }' "$control/uprobe_profile")" "$calls" "each call and return is counted"
	is "$(grep -o 'value=[0-9]*' "$control/trace" | sort | uniq -c | awk '{ print $1, $2 }')" \
		"$(set -- $calls; for v in 1 4 7; do echo "$((($1 + $3) / 3)) value=$v"; done)" \
		"each return has the right value"
	is "$(awk '{ missed += $4 } END { print missed + 0 }' "$control/uprobe_profile")" 0 \
		"no hit is missed"
	[ -z "$arg" ] || check "all handlers of entries ran in task context" left_to_task enter_
	echo >"$control/uprobe_events"
done
