#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a program begins to use protection keys, its jumps go, and its faults are its own
# once: jump_foreign covers the differences between kernels
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"

grep -qw ospke /proc/cpuinfo || skip_all "this machine has no protection keys"
ktap_plan 8

# say WORD: have the program do its work, and print its answer.
say() {
	echo "$1" >&"${program[1]}"
	read -r answer <&"${program[0]}"
	echo "$answer"
}

# plain N: check that there are N jumps, after a round without faults.
plain() {
	say plain >/dev/null
	rounds=$((rounds + 1))
	[ "$(jumps)" = "$1" ]
}

for on in 0 1; do
	prog=$tmp/pkeys.$on
	cp "$progs/pkeys" "$prog"
	jump $on
	take=$((0x$(symbol "$prog" take))) hidden=$((0x$(symbol "$prog" hidden)))
	count_begin "$prog" $take $hidden
	coproc program { exec "$prog"; }
	read -r pid <&"${program[0]}"
	rounds=1
	[ $on = 0 ] || check "both functions are counted without a trap" in_time plain 2
	is "$(say keys)" "1200 right, 200 faults, 0 elsewhere" "jump=$on: all faults are at the function"
	plain 0 && plain 0 && plain 0
	is "$?" 0 "jump=$on: there is no jump any more"
	counts >"$tmp/counts"
	is "$(sort "$tmp/counts")" "$(printf 'at_%d %d 0\n' $take $((rounds * 600)) $hidden $((rounds * 600)) | sort)" \
		"jump=$on: each call is counted once"
	exec {program[1]}>&-
	wait "$pid"
	count_end
done
check "the program has ended" [ ! -d "/proc/$pid" ]
