#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a program changes its text near a jump, the next jump is made for what is there then
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 10

prog=$tmp/repatched
cp "$progs/repatched" "$prog"
place=$((0x$(symbol "$prog" place)))
jump 1
count_begin "$prog" $place
coproc program { exec "$prog"; }
read -r pid <&"${program[0]}"
calls=0

# say COMMAND...: send a command, and print the answer.
say() {
	echo "$*" >&"${program[1]}"
	read -r answer <&"${program[0]}"
	echo "$answer"
}

# jumping: call the function until the place has a jump, and once more.
jumping() {
	for _ in $(tries 100); do
		say call 100 >/dev/null
		calls=$((calls + 100))
		[ "$(jumps)" != 1 ] || return 0
		sleep 0.1
	done
	return 1
}

check "the place counts without a trap, and saves no flags" jumping
is "$(say keep)" "0 wrong" "the text behind the jump depends on the flags now: all results are right"
check "it counts without a trap again" jumping
is "$(say call 1000)" "0 wrong" "all results are right"
is "$(say write)" "0 wrong" "the text is as it was: all results are right"
check "it counts without a trap again" jumping
is "$(say call 1000)" "0 wrong" "all results are right"
calls=$((calls + 4000))
is "$(say undefined)" "signal 4" "an undefined instruction where a jump was is the program's own"
kill -0 "$pid" && is "$(say call 1000)" "0 wrong" "all results are right"
is "$(counts)" "at_$place $((calls + 1001)) 0" "each call is counted once"
exec {program[1]}>&-
count_end
