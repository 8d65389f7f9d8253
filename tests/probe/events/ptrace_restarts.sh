#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: with a probe on every instruction, a tracer sees interrupted and restarted system calls and steps as unprobed
# full: ptrace_registers has a part of it
# once: ptrace_registers and syscall_judged cover the differences between kernels
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
# In the trap, and not stepped. FULL=1 has all combinations.
ways="0,1"
[ -z "${FULL:-}" ] || ways="0,1 0,0 1,1 1,0"
ktap_plan $((FULL ? 27 : 10))

prog=$progs/restarts
"$prog" >"$tmp/plain"
"$prog" steps >"$tmp/plain.steps"
"$prog" filtered >"$tmp/plain.filtered"
runs=$(grep -c '^  begins' "$tmp/plain")
check "unprobed: each child ends with status 0" [ "$runs" = "$(grep -c '^  status 0,' "$tmp/plain")" ]
check "unprobed: a seccomp filter does not change the output" diff "$tmp/plain" "$tmp/plain.filtered"
like "$(tail -n 1 "$tmp/plain.steps")" "^status 0$" "unprobed: the child that is single-stepped ends with status 0"

# Leave out the last instruction of in_between(), which is a breakpoint.
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
for way in $ways; do
	step=${way%,*} flags=${way#*,}
	echo $step >/sys/module/uprobes/parameters/single_step
	what="single_step=$step flags=$flags"
	before=$(hits 0)
	returned=$(hits $((last - 1)))
	# A site keeps its slot, so each round needs a new file.
	cp "$prog" "$tmp/restarts.$step.$flags"
	for i in $(seq 0 $last); do
		set_probe "$i" flags=$flags path="$tmp/restarts.$step.$flags"
	done
	run register 0-$((last - 2))
	run register $((last - 1))-$last
	"$tmp/restarts.$step.$flags" >"$tmp/probed"
	check "$what: the tracer sees the same as unprobed" diff "$tmp/plain" "$tmp/probed"
	# Each probe on an instruction, and the return probe.
	is "$(for i in $(seq 0 $((of_call - 1))); do hits "$i"; done | sort -u) $(hits $((last - 1)))" \
		"$((before + runs)) $((returned + runs))" "$what: each hit is counted once"
	is "$(awk '$4' $client_dir/state)" "" "$what: no hit is missed"
	before=$(hits $repeated)
	"$tmp/restarts.$step.$flags" steps >"$tmp/probed"
	check "$what: the tracer sees the same single steps as unprobed" diff "$tmp/plain.steps" "$tmp/probed"
	is $(($(hits $repeated) - before)) 2 \
		"$what: an instruction with a rep prefix is counted once, whoever steps"
	run unregister $((last - 1))-$last
	# Without return probes the thread has no utask.
	if [ $step = 0 ]; then
		before=$(hits 0)
		"$tmp/restarts.$step.$flags" filtered >"$tmp/probed"
		check "$what: with a seccomp filter, the tracer sees the same as unprobed" \
			diff "$tmp/plain" "$tmp/probed"
		is "$(for i in $(seq 0 $((of_call - 1))); do hits "$i"; done | sort -u)" \
			$((before + runs)) "$what: with a seccomp filter, each hit is counted once"
	fi
	run unregister 0-$((last - 2))
done
