#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a child's reference counters are right when probes come or go in the middle of its fork
# once: what decides here is the module, in the same way on all kernels
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
# timeout: 120
ktap_plan 18

prog=$progs/slow_fork
file="path=$prog offset=$(file_offset "$prog" work)"
counter=$(file_offset "$prog" slow_counter)
nop() { :; }

count_lines() {
	grep -c "$1" "$out"
}

# fork_while BEFORE MEANWHILE AFTER: what the child's counter is, at first and after AFTER,
# where BEFORE has been run before the fork and MEANWHILE in its middle.
fork_while() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	: >"$out"
	"$prog" counter <"$tmp/in" >"$out" &
	exec 3>"$tmp/in"
	until_is 1 count_lines "^[0-9]"
	read -r pid where <"$out"
	set_probe 9 pid="$pid" vaddr="$where"
	run register 9
	echo >&3
	# Something that looks like a copy of the address space has been by then.
	until_is 1 count_lines back
	$1
	echo >&3
	until_is 1 count_lines sleeps
	$2
	echo >&3
	until_is 1 count_lines "^counter"
	$3
	echo >&3
	until_is 1 count_lines child
	exec 3>&-
	wait "$!"
	run unregister 9
	sed -n 's/^counter //p' "$out" | tr '\n' ' '
	tail -n 1 "$out"
}

go() { run unregister $n; }
come_again() { go; come; }
come_and_go() { come; go; }
well="the child returned 16"
n=0

for kind in file process inherited; do
	come() {
		case $kind in
		file) set_probe $n "$file" ref="$counter" ;;
		process) set_probe $n pid="$pid" vaddr="$where" ref="$counter" ;;
		inherited) set_probe $n pid="$pid" vaddr="$where" flags=4 ref="$counter" ;;
		esac
		run register $n
	}
	# What is there for the child counts in it, then and later.
	child=1
	late=0
	[ $kind != process ] || child=0
	[ $kind != file ] || late=1
	is "$(fork_while come nop go)" "$child 0 $well" "$kind: there before"
	is "$(fork_while nop come go)" "$child 0 $well" "$kind: it comes meanwhile"
	is "$(fork_while come go nop)" "0 0 $well" "$kind: it goes meanwhile"
	is "$(fork_while come come_again go)" "$child 0 $well" "$kind: it goes and comes back meanwhile"
	is "$(fork_while nop come_and_go nop)" "0 0 $well" "$kind: it comes and goes meanwhile"
	is "$(fork_while nop nop come)" "0 $late $well" "$kind: it comes when the child runs"
	go
	n=$((n + 1))
done
