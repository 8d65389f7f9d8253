#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: with a probe on every instruction, system calls that are interrupted, stopped and restarted, and single steps, are to a tracer what they are unprobed
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 27

prog=$progs/restarts
"$prog" >"$tmp/plain"
"$prog" steps >"$tmp/plain.steps"
"$prog" filtered >"$tmp/plain.filtered"
runs=$(grep -c '^  begins' "$tmp/plain")
check "unprobed: each system call ends" [ "$runs" = "$(grep -c '^  status 0,' "$tmp/plain")" ]
check "unprobed: a filter of seccomp changes nothing" diff "$tmp/plain" "$tmp/plain.filtered"
like "$(tail -n 1 "$tmp/plain.steps")" "^status 0$" "unprobed: so does the child that is stepped"

# The last instruction of in_between() is a breakpoint.
places="$(instructions "$prog" do_call stepped) $(instructions "$prog" in_between | head -n -1)"
n=0
for offset in $places; do
	set_probe $n offset="$offset"
	n=$((n + 1))
done
of_call=$(instructions "$prog" do_call | wc -l)
repeated=$(($(instructions "$prog" do_call | wc -l) + 4))
for name in do_call stepped; do
	set_probe $n offset="0x$(symbol "$prog" $name)" returns=1
	n=$((n + 1))
done
last=$((n - 1))
at_exit 'echo 0 >/sys/module/uprobes/parameters/single_step'
for step in 0 1; do
	echo $step >/sys/module/uprobes/parameters/single_step
	for flags in 1 0; do
		what="single_step=$step flags=$flags"
		before=$(hits 0)
		returned=$(hits $((last - 1)))
		# Sites keep their slots: another file each time.
		cp "$prog" "$tmp/restarts.$step.$flags"
		for i in $(seq 0 $last); do
			set_probe "$i" flags=$flags path="$tmp/restarts.$step.$flags"
		done
		run register 0-$((last - 2))
		run register $((last - 1))-$last
		"$tmp/restarts.$step.$flags" >"$tmp/probed"
		check "$what: the tracer sees the same" diff "$tmp/plain" "$tmp/probed"
		# Each of the instructions, and the return.
		is "$(for i in $(seq 0 $((of_call - 1))); do hits "$i"; done | sort -u) $(hits $((last - 1)))" \
			"$((before + runs)) $((returned + runs))" "$what: each hit is counted once"
		is "$(awk '$4' $client_dir/state)" "" "$what: nothing is missed"
		before=$(hits $repeated)
		"$tmp/restarts.$step.$flags" steps >"$tmp/probed"
		check "$what: single steps are the same" diff "$tmp/plain.steps" "$tmp/probed"
		is $(($(hits $repeated) - before)) 2 "$what: a repeated instruction is counted once, whoever steps"
		run unregister $((last - 1))-$last
		# What a thread needs for a return probe is not there then.
		if [ $step = 0 ]; then
			before=$(hits 0)
			"$tmp/restarts.$step.$flags" filtered >"$tmp/probed"
			check "$what: seen by a filter, it is the same" diff "$tmp/plain" "$tmp/probed"
			is "$(for i in $(seq 0 $((of_call - 1))); do hits "$i"; done | sort -u)" \
				$((before + runs)) "$what: and counted once"
		fi
		run unregister 0-$((last - 2))
	done
done
