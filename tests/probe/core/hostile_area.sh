#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program that damages its SSOL area, jumps into it, or executes programs from it harms only itself
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/hostile.inc"
things="unmap replace move jump exec"
[ -z "${FULL:-}" ] || things="unmap overwrite protect replace move share discard jump exec stepped"
ktap_plan $((FULL ? 44 : 23))

prog=$progs/hostile_area
bystander_start
single_step=/sys/module/uprobes/parameters/single_step
stepped_before=$(cat $single_step)
for n in 0 1 2 3; do
	set_probe $n path="$prog" offset="0x$(symbol "$prog" work)" flags=$((n % 2)) returns=$((n / 2))
done
# The program may end in any way, but it must end.
for thing in $things; do
	act=$thing
	if [ $thing = stepped ]; then
		act=exec
		echo 1 >$single_step
	fi
	for n in 0 1 2 3; do run register $n; done
	hostile "$prog" $act 100
	diag "$thing: status $hostile_status, $(tr '\n' ' ' <"$tmp/hostile")"
	like "$(paste -sd ' ' "$tmp/hostile")" "^before 14950 (.* )?done( |\$)" \
		"$thing: the results before are right, and the program does its damage"
	check "$thing: the program ends" test $hostile_status != 124 -a $hostile_status != 137 -a $hostile_status != 3
	case $thing in
	exec | stepped)
		is "$(grep -E '^(signalled|sent|called)' "$tmp/hostile")" "signalled: 12
sent SIGUSR1: killed by 10
called: 12" "$thing: the executed program gets its signals and single steps" ;;
	esac
	bystander_fine $thing
	# Another process of the same file.
	for n in 0 1 2 3; do run unregister $n; done
	is "$("$prog" none 100 | head -n 1)" "before 14950" \
		"$thing: after unregistering, another process has right results"
done
echo "$stepped_before" >$single_step
all_gone
