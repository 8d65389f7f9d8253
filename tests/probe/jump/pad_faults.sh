#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a pad cannot have its memory, the program does not notice, and its hits trap
# full: the time of the default run is used up
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"

# say WORD...: have the program do something, and print its answer.
say() {
	echo "$*" >&"${program[1]}"
	read -r answer <&"${program[0]}"
	echo "$answer"
}

# warm N: check that N functions have jumps, after calls in which nothing is wrong.
warm() {
	[ "$(say call 100)" = "300 0 0" ] || return
	calls=$((calls + 100))
	[ "$(jumps)" = "$1" ]
}

# warm_crooked: check that crooked() has a jump, too, after calls in which nothing is wrong.
warm_crooked() {
	[ "$(say straight 100)" = "100 0 0" ] || return
	crooked=$((crooked + 100))
	[ "$(jumps)" = 4 ]
}

begin() {
	prog=$tmp/faulted.$1
	cp "$progs/faulted" "$prog"
	chmod 755 "$tmp" "$prog"
	calls=0 crooked=0
	places=()
	for name in bare saved take crooked; do
		places+=($((0x$(symbol "$prog" $name) - $(text_start "$prog"))))
	done
	jump 1
}

start() {
	# The kernel writes to the memory of a restartable sequence: a thread that forbids that dies.
	coproc program { GLIBC_TUNABLES=glibc.pthread.rseq=0 exec setpriv --reuid=1000 --regid=1000 --clear-groups "$prog"; }
	read -r pid <&"${program[0]}"
	check "$1: the functions have jumps" in_time warm "$2"
}

finish() {
	exec {program[1]}>&-
	wait "$pid"
	is "$?" 0 "$1: the program has ended by itself"
}

# counted N...: check that the places of bare(), saved(), take() and crooked() were hit that often.
counted() {
	for place in "${places[@]}"; do
		echo "at_$place $1 0"
		shift
	done | grep -v ' 0 0$' | sort | diff - <(counts | sort)
}

attacks=("words unmap" "words protect" "pads unmap" "pads protect" "edge 50" "own 50" "crooked 50" "unaligned 50" "keys 50")
grep -qw ospke /proc/cpuinfo || unset "attacks[8]"
ktap_plan $((${#attacks[@]} * 5 + 2))
for attack in "${attacks[@]}"; do
	begin "${attack// /.}"
	count_begin "$prog" "${places[@]}"
	start "$attack" 3
	extra=(0 0 0 0)
	case $attack in
	words* | pads*) right="1 0 0" ;;
	edge* | keys*) right="150 0 0" extra=(50 50 50 0) ;;
	# The program executes the instruction again, with another address.
	own*) right="50 50 50" extra=(0 0 100 0) ;;
	*)
		check "$attack: so has the fourth one" in_time warm_crooked
		right="50 0 0" extra=(0 0 0 $((crooked + 50)))
		;;
	esac
	# Functions whose pads cannot have their memory lose their jumps; bare() needs no stack.
	case $attack in
	edge*) left=1 ;;
	own*) left=2 ;;
	crooked*) left=3 ;;
	# Not every emulator checks that addresses are aligned.
	unaligned*) left="[34]" ;;
	*) left=0 ;;
	esac
	is "$(say "$attack")" "$right" "$attack: the program has no signal but its own"
	like "$(say call 100) $(jumps)" "^300 0 0 $left\$" "$attack: nor afterwards, when places of such pads have no jumps"
	calls=$((calls + 100))
	check "$attack: all hits are counted" counted $((calls + extra[0])) $((calls + extra[1])) $((calls + extra[2])) "${extra[3]}"
	finish "$attack"
	count_end
done
