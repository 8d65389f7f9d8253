#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: handlers of returns are told the function, its real return address and where that lies: in recursion, for several probes, and of functions that jump to others
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 28

prog=$progs/steps

# called FUNCTION: in hexadecimal, where calls of it return to, and which functions those are in.
called() {
	objdump -d --no-show-raw-insn "$prog" | awk -v callee="<$1>" '
		/^[0-9a-f]+ </ { inside = $2; sub(/^</, "", inside); sub(/>:$/, "", inside) }
		behind { sub(/:.*/, ""); print $1, inside; behind = 0 }
		/\tcall / && $NF == callee { behind = 1 }' |
		while read -r at in; do
			printf '%x %s\n' $((0x$at + bias)) "$in"
		done
}

# seen FUNCTION: for each entry and return of it, the probe, which of the two, the function
# that it returns to, and whether all else fits together.
seen() {
	called "$1" >"$tmp/called"
	called "${2:-$1}" >>"$tmp/called"
	begins=$((bias + 0x$(symbol "$prog" "$1")))
	while read -r number which func ret_addr at ip sp; do
		[ $((0x$func)) = $begins ] || continue
		caller=$(awk -v at="$ret_addr" '$1 == at { print $2; exit }' "$tmp/called")
		case $which in
		entry) got="$ip $sp" should="$func $at" ;;
		return) got="$ip $sp" should="$ret_addr $(printf %x $((0x$at + 8)))" ;;
		esac
		fits=yes
		[ "$got" = "$should" ] || fits="no: $got, not $should"
		echo "$number $which ${caller:-$ret_addr} $fits"
	done <$client_dir/seen
}

# of PROBE WHICH: the callers, in order.
of() {
	awk -v n="$1" -v which="$2" '$1 == n && $2 == which { printf "%s%s", sep, $3; sep = " " }' "$tmp/seen"
}

steps
bias=$((work - 0x$(symbol "$prog" work)))
where=$((bias + 0x$(symbol "$prog" jumps)))
plain=$(step jump 2)
n=0
for flags in 0 1; do
	how="flags=$flags"

	# Two of them, which find the return address exchanged by now, or exchange it once.
	set_probe $n pid="$pid" vaddr="$nest" returns=1 entry=1 flags=$flags
	set_probe $((n + 1)) pid="$pid" vaddr="$nest" returns=1 entry=1 flags=$flags
	run register $n-$((n + 1))
	echo >$client_dir/seen
	is "$(step nest 2)" "nest 3" "$how: recursion"
	seen nest >"$tmp/seen"
	run unregister $n-$((n + 1))
	is "$(grep -vc ' yes$' "$tmp/seen") $(wc -l <"$tmp/seen")" "0 12" "$how: what is told fits together"
	# steps() has called it, in which others may be inlined.
	for i in $n $((n + 1)); do
		like "$(of $i entry)" "^steps nest nest\$" "$how: at the entries, probe $((i - n))"
		like "$(of $i return)" "^nest nest steps\$" "$how: at the returns, probe $((i - n))"
	done
	n=$((n + 2))

	# The only one, without an entry handler.
	set_probe $n pid="$pid" vaddr="$nest" returns=1 flags=$flags
	run register $n
	echo >$client_dir/seen
	step nest 2 >/dev/null
	seen nest >"$tmp/seen"
	run unregister $n
	is "$(grep -vc ' yes$' "$tmp/seen") $(wc -l <"$tmp/seen")" "0 3" "$how: what is told without an entry handler fits together"
	like "$(of $n return)" "^nest nest steps\$" "$how: at the returns"
	n=$((n + 1))

	# jumps() goes on with work(), which finds the trampoline's address on the stack.
	set_probe $n pid="$pid" vaddr=$where returns=1 entry=1 flags=$flags
	set_probe $((n + 1)) pid="$pid" vaddr="$work" returns=1 entry=1 flags=$flags
	run register $n-$((n + 1))
	echo >$client_dir/seen
	is "$(step jump 2)" "$plain" "$how: a function that goes on with another by a jump"
	{
		seen jumps
		seen work jumps
	} >"$tmp/seen"
	run unregister $n-$((n + 1))
	is "$(grep -vc ' yes$' "$tmp/seen") $(wc -l <"$tmp/seen")" "0 8" "$how: what is told of both fits together"
	for i in $n $((n + 1)); do
		is "$(of $i entry)" "steps steps" "$how: at the entries, function $((i - n))"
		is "$(of $i return)" "steps steps" "$how: at the returns, function $((i - n))"
	done
	n=$((n + 2))
done
end_steps
