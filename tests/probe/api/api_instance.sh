#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: return handlers get the function, the real return address and its stack address, in any nesting of calls
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 28

prog=$progs/steps

# called FUNCTION: print where each call of FUNCTION returns to, in hexadecimal, and the function that
# the call is in.
called() {
	objdump -d --no-show-raw-insn "$prog" | awk -v callee="<$1>" '
		/^[0-9a-f]+ </ { inside = $2; sub(/^</, "", inside); sub(/>:$/, "", inside) }
		behind { sub(/:.*/, ""); print $1, inside; behind = 0 }
		/\tcall / && $NF == callee { behind = 1 }' |
		while read -r at in; do
			printf '%x %s\n' $((0x$at + bias)) "$in"
		done
}

# seen FUNCTION: print for each entry and return of FUNCTION the probe, which of the two it is, the
# function that it returns to, and if the other values are consistent.
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

# of PROBE WHICH: print the callers, in order.
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

	# Two return probes: the first one replaces the return address, the second one finds it replaced.
	set_probe $n pid="$pid" vaddr="$nest" returns=1 entry=1 flags=$flags
	set_probe $((n + 1)) pid="$pid" vaddr="$nest" returns=1 entry=1 flags=$flags
	run register $n-$((n + 1))
	echo >$client_dir/seen
	is "$(step nest 2)" "nest 3" "$how: the result of a recursive function is right"
	seen nest >"$tmp/seen"
	run unregister $n-$((n + 1))
	is "$(grep -vc ' yes$' "$tmp/seen") $(wc -l <"$tmp/seen")" "0 12" \
		"$how: recursion: the values of each entry and return are consistent"
	# The compiler may have inlined the caller into steps().
	for i in $n $((n + 1)); do
		like "$(of $i entry)" "^steps nest nest\$" \
			"$how: recursion: probe $((i - n)) gets the callers at the entries"
		like "$(of $i return)" "^nest nest steps\$" \
			"$how: recursion: probe $((i - n)) gets the callers at the returns"
	done
	n=$((n + 2))

	# A single return probe, without an entry handler.
	set_probe $n pid="$pid" vaddr="$nest" returns=1 flags=$flags
	run register $n
	echo >$client_dir/seen
	step nest 2 >/dev/null
	seen nest >"$tmp/seen"
	run unregister $n
	is "$(grep -vc ' yes$' "$tmp/seen") $(wc -l <"$tmp/seen")" "0 3" \
		"$how: without an entry handler, the values of each return are consistent"
	like "$(of $n return)" "^nest nest steps\$" "$how: without an entry handler, the probe gets the callers"
	n=$((n + 1))

	# jumps() jumps to work() in a tail call. work() finds the trampoline's address on the stack.
	set_probe $n pid="$pid" vaddr=$where returns=1 entry=1 flags=$flags
	set_probe $((n + 1)) pid="$pid" vaddr="$work" returns=1 entry=1 flags=$flags
	run register $n-$((n + 1))
	echo >$client_dir/seen
	is "$(step jump 2)" "$plain" "$how: the result of a tail call is right"
	{
		seen jumps
		seen work jumps
	} >"$tmp/seen"
	run unregister $n-$((n + 1))
	is "$(grep -vc ' yes$' "$tmp/seen") $(wc -l <"$tmp/seen")" "0 8" \
		"$how: tail call: the values of both functions are consistent"
	for i in $n $((n + 1)); do
		is "$(of $i entry)" "steps steps" "$how: tail call: function $((i - n)) gets the callers at the entries"
		is "$(of $i return)" "steps steps" \
			"$how: tail call: function $((i - n)) gets the callers at the returns"
	done
	n=$((n + 2))
done
end_steps
