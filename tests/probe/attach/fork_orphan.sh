#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a child inherits its parent's probes even if the parent ends before the child runs
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/slow.inc"
ktap_plan 10

counter=$(file_offset "$progs/steps" steps_counter)
first=0
for how in exit exec; do
	last=$((first + 1))
	for try in $(seq 20); do
		steps
		plain=$(step call 3)
		set_probe $first pid=$pid vaddr="$work" flags=4 ref="$counter"
		set_probe $last pid=$pid vaddr="$work" flags=4 returns=1
		run register $first
		run register $last
		hold_back
		child=$(step into $slow)
		child=${child#child }
		if [ $how = exec ]; then
			step exec >/dev/null
		else
			end_steps
		fi
		held "$child"
		held=$?
		let_go
		[ $held != 0 ] || break
		kill -9 "$child"
		[ $how = exit ] || end_steps
		until_is 0 registered $first
		until_is 0 registered $last
	done
	check "$how: the child has not run when its parent's memory has gone" [ $held = 0 ]
	kill -USR1 "$child"
	until_is 1 grep -c "^into" "$out"
	is "$(grep "^into" "$out")" "into ${plain#call }" "$how: the child's result is right"
	is "$(hits $first) $(hits $last)" "3 3" "$how: the child's hits are counted"
	[ $how = exit ] || end_steps
	check "$how: the child's end ends the probe" until_is 0 registered $first
	check "$how: the child's end ends the return probe" until_is 0 registered $last
	first=2
done
