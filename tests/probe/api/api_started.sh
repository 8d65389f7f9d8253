#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program started by fork(), vfork(), posix_spawn() or clone() is probed by its file, with its own counter
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 25

counter=$(file_offset "$progs/steps" steps_counter)
offset=$(file_offset "$progs/steps" work)
ways="fork vfork spawn clone"

# differ A B C D E F: print D - A, E - B and F - C.
differ() {
	echo $(($4 - $1)) $(($5 - $2)) $(($6 - $3))
}

steps
for way in $ways; do
	is "$(step start "$way")" "started counter 0 works 605 starter 0 status 0" \
		"$way: without probes, all counters are 0"
done
for flags in 0 1; do
	n=$((10 * flags))
	set_probe $n path="$progs/steps" offset="$offset" ref="$counter" flags=$flags
	set_probe $((n + 1)) pid="$pid" vaddr="$work" ref="$counter" flags=$flags
	set_probe $((n + 2)) pid="$pid" vaddr="$work" ref="$counter" flags=$((flags + 4))
	run register $n-$((n + 2))
	is "$(step counter)" "counter 3" \
		"flags=$flags: one probe on the file and two on the process increment the counter"
	before="0 0 0"
	for way in $ways; do
		# The child calls the function once, in its parent's memory or in a copy of it (not by
		# spawn). The program that it executes calls it twice.
		case $way in
		fork) wanted="3 0 1" ;;
		spawn) wanted="2 0 0" ;;
		*) wanted="3 1 1" ;;
		esac
		is "$(step start "$way")" "started counter 1 works 605 starter 3 status 0" \
			"flags=$flags, $way: parent and program each have their own counter"
		now="$(hits $n) $(hits $((n + 1))) $(hits $((n + 2)))"
		# shellcheck disable=SC2086
		is "$(differ $before $now)" "$wanted" "flags=$flags, $way: each probe counts the calls of its processes"
		before=$now
	done
	run unregister $n-$((n + 2))
	is "$(step counter)" "counter 0" "flags=$flags: after unregistering, the counter is 0"
done
end_steps
is $? 0 "the program ends with status 0"
