#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: functions that are timed at their return instructions have as many calls, as long, as by their return addresses
# once: ring_ends covers the differences between kernels
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 28

prog=$tmp/timed
cp "$UPROBES_TOP/build/progs/timed" "$prog"

# place HEX: print the offset in the file of an address; the program is linked at a fixed address.
place() {
	printf '0x%x' $((0x$1 - 0x400000))
}

# exits FUNCTION: print its return instructions as arguments.
exits() {
	objdump -d --no-show-raw-insn "$prog" | awk -v name="<$1>:" '
		/^[0-9a-f]+ </ { inside = $2 == name }
		inside && $2 == "ret" { sub(":", "", $1); print $1 }' | while read -r at; do
		printf ' \\%s' "$(place "$at")"
	done
}

tell() {
	echo "$*" >&"${program[1]}"
	read -r answer <&"${program[0]}"
}

# begin FUNCTION HOW: time it; HOW is "" or its exits.
begin() {
	exec 5<>$dir/aggregate
	echo "r:$1 $prog:$(place "$(symbol "$prog" "$1")")$2" >&5
	coproc program { exec "$prog" 5<&-; }
	read -r answer pid <&"${program[0]}"
}

# calls: print CALLS MISSED; $line has all of it.
calls() {
	line=$(cat <&5)
	awk '{ print $2 + 0, $3 + 0 }' <<<"$line"
}

# warm WORDS...: have the program carry this out until there are jumps, and once more. Sets $runs.
warm() {
	for runs in $(tries 40); do
		tell "$@"
		[ "$(jumps)" -ge 1 ] && break
		sleep 0.1
	done
}

end() {
	exec 5<&-
	exec {program[1]}>&-
	wait "$pid"
}

for on in 0 1; do
	jump $on
	for name in fib leaves waits deep; do
		case $name in
		fib) what="fib 15" ;;
		leaves) what="leave 3000" ;;
		waits) what="swap 500" ;;
		deep) what="threads 300" ;;
		esac
		begin $name ""
		tell $what
		by_address=$(calls)
		end
		begin $name "$(exits $name)"
		runs=0
		[ $on = 0 ] || warm $what
		tell $what
		calls >"$tmp/calls"
		is "$(cat "$tmp/calls")" "$((${by_address% *} * (runs + 1))) ${by_address#* }" \
			"$name, jump=$on: as many calls return as by the return address"
		check "$name, jump=$on: the times add up" awk '{ for (i = 7; i <= NF; i++) { split($i, b, ":"); n += b[2]; t += b[2] * b[1] }
			split($7, first, ":")
			exit !(n == $2 && $4 >= t && $4 <= 9 / 8 * t && $6 >= b[1] && $6 <= 9 / 8 * b[1] + 1 &&
				$5 >= first[1] && $5 <= 9 / 8 * first[1] + 1) }' <<<"$line"
		[ $on = 0 ] || check "$name: there are jumps" [ "$(jumps)" -ge 1 ]
		end
	done
done

# A call takes as long as it takes: less than what is around it, but the clocks may differ a little.
begin sleeps "$(exits sleeps)"
before=${EPOCHREALTIME/./}
tell sleep 50
around=$((${EPOCHREALTIME/./} - before))
calls >/dev/null
check "a call that sleeps for 50 ms takes that long" awk -v most="$around" '{
	exit !($2 == 1 && $4 >= 50000000 && $4 < 1000 * most + 20000000) }' <<<"$line"
end

exec 5<>$dir/aggregate
fib=$prog:$(place "$(symbol "$prog" fib)")
check_fails "an exit where no instruction can be probed is refused" sh -c "printf '%s\n' 'r:fib $fib \\0x7fffffff' >&5"
check_fails "an exit that is no return instruction is refused" sh -c "printf '%s\n' 'r:fib $fib \\$(place "$(symbol "$prog" deep)")' >&5"
check_fails "registers are no exits" sh -c "printf '%s\n' 'r:fib $fib %di %si %dx' >&5"
check_fails "an entry probe has no exits" sh -c "printf '%s\n' 'p:fib $fib \\0x1000 \\0x1001 \\0x1002' >&5"
is "$(cat <&5)" "" "nothing of them is left"
exec 5<&-

# The helper finds the exits by itself.
jump 1
out=$(uprobe lat --json -c "printf 'fib 12\nfib 12\n' | $prog >/dev/null" "$prog:fib" 2>"$tmp/err")
like "$out" '"function":"fib","hits":930,"missed":0' "uprobe lat times the same calls: $(cat "$tmp/err" | head -n 1)"
out=$(uprobe lat --json -c "$prog </dev/null >/dev/null" 'libc:*printf*' 2>"$tmp/err")
like "$out" '"function":"printf","hits":1,"missed":0' "a pattern over a library works, too"
