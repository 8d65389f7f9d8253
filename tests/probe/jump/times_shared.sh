#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: two sessions that time a function, and one that counts it, know all calls, and so does the one that stays
# full: ring_timed has one session
# once: the code is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 6

prog=$tmp/timed
cp "$progs/timed" "$prog"
entry=$((0x$(symbol "$prog" fib) - 0x400000))
ends=$(rets "$prog" fib | while read -r at below; do
	printf ' \\0x%x' $((1 << 63 | below << 48 | at - 0x400000))
done)

tell() {
	echo "$*" >&"${program[1]}"
	read -r answer <&"${program[0]}"
	all=$((all + answer))
}

# warm: call the function until there are jumps, if there can be any.
warm() {
	for _ in {1..40}; do
		tell fib 12
		[ "$1" = 0 ] || [ "$(jumps)" -ge 3 ] && break
		sleep 0.1
	done
	[ "$1" = 0 ] || tell fib 12
}

for on in 0 1; do
	jump $on
	all=0
	exec 5<>$dir/aggregate
	echo "r:fib $prog:$entry$ends" >&5
	coproc program { exec "$prog" 5<&-; }
	read -r answer pid <&"${program[0]}"
	warm $on
	exec 6<>$dir/aggregate 7<>$dir/aggregate
	echo "r:again $prog:$entry$ends" >&6
	echo "p:count $prog:$entry" >&7
	tell fib 12
	tell fib 12
	is "$(awk '{ print $2, $3 }' <&6)" "$((2 * answer)) 0" "jump=$on: the second session knows all calls since it is there"
	is "$(awk '{ print $2, $3 }' <&7)" "$((2 * answer)) 0" "jump=$on: so does the one that counts"
	exec 6<&- 7<&-
	warm $on
	is "$(awk '{ print $2, $3 }' <&5)" "$all 0" "jump=$on: the first one misses nothing"
	exec 5<&- {program[1]}>&-
	wait "$pid"
done
