#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a child's reference counter is right if probes are registered or unregistered in the middle of its fork
# once: the module's own code decides this, and it is the same on all kernels
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
# timeout: 120
ktap_plan 18

prog=$progs/slow_fork
file="path=$prog offset=$(file_offset "$prog" work)"
counter=$(file_offset "$prog" slow_counter)
nop() { :; }

count_lines() {
	grep -c "$1" "$out"
}

# fork_while BEFORE MEANWHILE AFTER: run BEFORE before a fork, MEANWHILE in its middle, and AFTER when the
# child runs. Print the child's counter before and after AFTER.
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
	# By now the program has done something that looks like a copy of its address space.
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
	# child: a probe from before or during the fork counts in the child. late: a probe that is
	# registered later counts there, too.
	child=1
	late=0
	[ $kind != process ] || child=0
	[ $kind != file ] || late=1
	is "$(fork_while come nop go)" "$child 0 $well" "$kind: registered before the fork"
	is "$(fork_while nop come go)" "$child 0 $well" "$kind: registered during the fork"
	is "$(fork_while come go nop)" "0 0 $well" "$kind: unregistered during the fork"
	is "$(fork_while come come_again go)" "$child 0 $well" \
		"$kind: unregistered and registered again during the fork"
	is "$(fork_while nop come_and_go nop)" "0 0 $well" "$kind: registered and unregistered during the fork"
	is "$(fork_while nop nop come)" "0 $late $well" "$kind: registered when the child runs"
	go
	n=$((n + 1))
done
