#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: programs that do all that is hard for probes print the same with a probe on each of their instructions
# once: other tests of signals, forks and returns cover the differences between kernels
# timeout: 500
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

# The first program runs in each of these ways, the others in one. FULL=1 has all combinations, and more
# programs.
ways=("in the trap" "in task context, stepped") names="calls steps strict"
if [ -n "${FULL:-}" ]; then
	ways=("in the trap" "in task context" "in the trap, stepped" "in task context, stepped")
	names="calls stacks unwinds maps steps strict"
fi
ktap_plan $((FULL ? 82 : 16))
ulimit -c 0
at_exit 'echo 0 >/sys/module/uprobes/parameters/single_step'

# run_both VERB RANGE RANGE: apply VERB to the instruction probes and to the return probes.
run_both() {
	run "$1" "$2" && run "$1" "$3"
}

# text FILE: print the offset of each instruction, in hexadecimal, without the padding of pages.
text() {
	objdump -d -j .text --no-show-raw-insn "$1" | awk -v name="${1##*/}" '
		/^ +[0-9a-f]+:/ && !(name == "maps" && /nop/) { sub(/:.*/, ""); print "0x" $1 }'
}

# returning NAME: print the functions that get a return probe as well.
returning() {
	case $1 in
	calls) echo work deep thrower forker sleeper ;;
	stacks) echo probed_yields probed_in_handler probed_raises probed_struct probed_pops probed_tail ;;
	unwinds) echo probed_deep probed_catcher probed_outer probed_backtrace probed_cancelled ;;
	maps) echo moved ;;
	steps) echo work nest ;;
	strict) echo strict_work ;;
	esac
}

# Input of the program "steps": threads, forks, shared memory, exec, the end of the first thread.
cat >"$tmp/steps" <<'END'
call 5
nest 30
fork 5
threads 200
share 10
map
move
exec
call 7
around
leave
nest 3
exit 9
END

# things FILE: have the program do all that it can, and print the results.
things() {
	local thing

	case $1 in
	*/calls)
		for thing in "threads 2 500" "deep 10001" "jumps 100 20" "forks 5"; do
			# shellcheck disable=SC2086
			"$1" $thing
			echo "status $?"
		done ;;
	*/maps)
		for thing in "dlopen 3" "remap 300" unmap move leave replace; do
			# shellcheck disable=SC2086
			"$1" $thing
			echo "status $?"
		done ;;
	*/steps)
		# Drop the line with its addresses.
		"$1" <"$tmp/steps" | grep -v '^[0-9]'
		echo "status ${PIPESTATUS[0]}" ;;
	*)
		"$1"
		echo "status $?" ;;
	esac 2>&1 | grep -v 'core dumped\|Aborted'
}

# For each program whose calls all return: one of its functions, and how often things() calls it.
# Then the status of each program that does not end with 0.
declare -A first=([calls]=deep [stacks]=probed_pops [maps]=moved [steps]=nest [strict]=strict_work)
declare -A entered=([calls]=10002 [stacks]=200 [maps]=619 [steps]=57 [strict]=1000)
declare -A ends=([unwinds]=134 [steps]=9)

number=0
for name in $names; do
	things "$progs/$name" >"$tmp/plain.$name"
	is "$(grep "^status" "$tmp/plain.$name" | sort -u)" "status ${ends[$name]:-0}" \
		"$name: unprobed, it ends with the expected status"
	total=
	tried=("${ways[@]}")
	case $name${FULL:-} in
	strict) tried=("in the trap") ;;
	steps) tried=("in task context, stepped") ;;
	esac
	for how in "${tried[@]}"; do
		case "$how" in
		"in the trap"*) flags=1 ;;
		*) flags=0 ;;
		esac
		stepped=0
		[[ $how != *stepped ]] || stepped=1
		# This program takes long even without steps.
		[ "$name $stepped" != "unwinds 1" ] || continue
		echo $stepped >/sys/module/uprobes/parameters/single_step
		# A site keeps its way of execution, so each round needs a new file.
		mkdir "$tmp/$((++number))"
		prog=$tmp/$number/$name
		cp "$progs/$name" "$prog"
		function=${first[$name]:-main}
		set_probe 0 path="$prog" offset="0x$(symbol "$prog" "$function")" returns=0 flags=$flags
		n=1
		for at in $(text "$prog"); do
			set_probe $n path="$prog" offset="$at" returns=0 flags=$flags
			n=$((n + 1))
		done
		last=$((n - 1))
		for returns in $(returning "$name"); do
			set_probe $n path="$prog" offset="0x$(symbol "$prog" "$returns")" returns=1 flags=$flags
			n=$((n + 1))
		done
		check "$name, $how: $last instructions and $((n - 1 - last)) returns are probed" \
			run_both register 0-$last $((last + 1))-$((n - 1))
		hits_before=$(hits 0)
		read -r all_before missed_before < <(all_hits)
		things "$prog" >"$tmp/probed"
		is "$(diff "$tmp/plain.$name" "$tmp/probed" | head -n 10)" "" \
			"$name, $how: the output is the same as unprobed"
		read -r all missed < <(all_hits)
		hits=$(hits 0)
		run_both unregister 0-$last $((last + 1))-$((n - 1))
		[ -n "${first[$name]:-}" ] || continue
		is "$((hits - hits_before)) $((missed - missed_before))" "${entered[$name]} 0" \
			"$name, $how: each call of $function is counted, and no hit is missed"
		# The program reads its own mappings, and probes may add some.
		[ "$name" != maps ] || continue
		if [ -z "$total" ]; then
			total=$((all - all_before))
		else
			is $((all - all_before)) "$total" "$name, $how: all probes have as many hits as in the trap"
		fi
	done
done
