#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program that another starts by fork(), vfork(), posix_spawn() or clone() is probed as its file is, and leaves its starter's reference counter alone
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 25

counter=$(file_offset "$progs/steps" steps_counter)
offset=$(file_offset "$progs/steps" work)
ways="fork vfork spawn clone"

# differ A B C D E F: by how much D, E and F are more than A, B and C.
differ() {
	echo $(($4 - $1)) $(($5 - $2)) $(($6 - $3))
}

steps
for way in $ways; do
	is "$(step start "$way")" "started counter 0 works 605 starter 0 status 0" "$way: unprobed"
done
for flags in 0 1; do
	n=$((10 * flags))
	set_probe $n path="$progs/steps" offset="$offset" ref="$counter" flags=$flags
	set_probe $((n + 1)) pid="$pid" vaddr="$work" ref="$counter" flags=$flags
	set_probe $((n + 2)) pid="$pid" vaddr="$work" ref="$counter" flags=$((flags + 4))
	run register $n-$((n + 2))
	is "$(step counter)" "counter 3" "flags=$flags: one on the file, two on the process"
	before="0 0 0"
	for way in $ways; do
		# The child calls the function once in the memory of its starter, or in a copy of it, and
		# the program that it executes twice.
		case $way in
		fork) wanted="3 0 1" ;;
		spawn) wanted="2 0 0" ;;
		*) wanted="3 1 1" ;;
		esac
		is "$(step start "$way")" "started counter 1 works 605 starter 3 status 0" \
			"flags=$flags, $way: each has its own counter"
		now="$(hits $n) $(hits $((n + 1))) $(hits $((n + 2)))"
		# shellcheck disable=SC2086
		is "$(differ $before $now)" "$wanted" "flags=$flags, $way: hits of each probe"
		before=$now
	done
	run unregister $n-$((n + 2))
	is "$(step counter)" "counter 0" "flags=$flags: and none is left"
done
end_steps
is $? 0 "the program ends well"
