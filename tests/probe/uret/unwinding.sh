#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: exceptions, panics, backtraces and thread cancellation pass through return-probed functions
# once: the program unwinds its stack, not the kernel
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan $((FULL ? 54 : 9))

# unwinds PROGRAM: run it, and print its output and status, without the ID of its process.
unwinds() {
	"$1" >"$out" 2>"$tmp/err"
	status=$?
	cat "$out"
	echo "status $status"
	# Newer versions of Rust print the number of the thread, too.
	sed "s/^\(thread '.*'\) ([0-9]*)/\1/; /core dumped/d" "$tmp/err"
}

# total COLUMN: print the sum of a column of the client's state over all probes.
total() {
	awk -v column="$1" '{ sum += $column } END { print sum + 0 }' $client_dir/state
}

export RUST_BACKTRACE=1
# With FULL=1, more programs, each in the trap and in task context.
ways="0 1" programs=unwinds
[ -z "${FULL:-}" ] || programs="unwinds unwinds32 unwinds_static unwinds_static_pie unwinds_hidden unwinds_rust"
for program in $programs; do
	ends=134
	[ $program != unwinds_rust ] || ends=101
	program=$progs/$program
	plain=$(unwinds "$program")
	like "$plain" "^status $ends$" "${program##*/}: unprobed, it ends with an exception or panic that nobody catches"
	symbol_table=$(nm "$program")
	n=0
	for function in $(echo "$symbol_table" | awk '$3 ~ /^probed_/ { print $3 }'); do
		value=0x$(echo "$symbol_table" | awk -v f="$function" '$3 == f { print $1 }')
		offset=$(readelf -lW "$program" | awk '$1 == "LOAD" && $0 ~ / E / { print $2, $3; exit }' |
			while read -r off addr; do echo $((value - addr + off)); done)
		set_probe $n path="$program" offset="$offset" returns=1
		n=$((n + 1))
	done
	last=$((n - 1))
	for flags in $ways; do
		for i in $(seq 0 $last); do
			set_probe "$i" flags=$flags
		done
		before_3=$(total 3) before_4=$(total 4)
		check "${program##*/}, flags=$flags: $n functions are return-probed" run register 0-$last
		is "$(unwinds "$program")" "$plain" "${program##*/}, flags=$flags: the output is the same as unprobed"
		check "${program##*/}, flags=$flags: returns were counted" test $(($(total 3) - before_3)) -gt 100
		check "${program##*/}, flags=$flags: calls that were unwound through count as missed" \
			test $(($(total 4) - before_4)) -gt 100
		run unregister 0-$last
	done
done
