#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: client and module unload while programs sleep in probed calls that have turned on their SSOL area or the stacks of these calls; they alone have the damage
# once: what decides here is the module, in the same way on all kernels
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
. "$UPROBES_TOP/tests/guest/hostile.inc"

prog=$progs/hostile_unload
whole="hold 5 nest 37 after 14950"
# Each is done to the area by two programs: one with, one without a thread that sleeps in a slot,
# which is the program's own affair then.
area="unmap overwrite protect replace move discard"
stack="copy strike readonly closed sealed fresh gone fault"

set_probes() {
	local n=0 probe

	for probe in "nest returns=1" "nest flags=1" "hold returns=1" "slot_syscall flags=0" \
		     "work returns=1 flags=1" "work flags=0"; do
		# shellcheck disable=SC2086
		set_probe $n path="$prog" offset="$(uprobe offset "$prog" "${probe%% *}" | sed 's/.*://')" ${probe#* }
		run register $n
		n=$((n + 1))
	done
}

# begin WHO HOW [slot]: a program, until it sleeps and has done it.
declare -A pids inputs
begin() {
	mkfifo "$tmp/$1.in"
	"$prog" "${@:2}" <"$tmp/$1.in" >"$tmp/$1.said" 2>&1 &
	pids[$1]=$!
	exec {fd}>"$tmp/$1.in"
	inputs[$1]=$fd
	wait_until "$1 sleeps" grep -q '^ready' "$tmp/$1.said"
}

# go_on_with WHO: let it; sets $status, which is that of SIGKILL when it has not ended by itself,
# and $says.
go_on_with() {
	echo >&"${inputs[$1]}"
	fd=${inputs[$1]}
	exec {fd}>&-
	in_time ended "${pids[$1]}" || kill -KILL "${pids[$1]}"
	wait "${pids[$1]}"
	status=$?
	says=$(sed 1d "$tmp/$1.said" | paste -sd ' ')
	diag "$1: status $status, $says"
}

# goes COMMAND...: it ends in time, and well.
goes() {
	"$@" &
	in_time ended $! && wait $!
}

ktap_plan 56
set_probes
bystander_start
for how in none $area; do
	begin "$how" "$how"
	begin "$how-slot" "$how" slot
done
for how in $stack; do
	begin "$how" "$how"
done
is "$(sort "$tmp"/*.said | uniq -c | awk '{ $1 = $1; print }' | paste -sd ,)" \
	"15 ready 9 0,7 ready 9 1" "all sleep in calls whose return addresses are replaced, seven in a slot, too"
bystander_fine "before"
check "the client unloads" goes rmmod uprobe_client
check "the module unloads" goes rmmod uprobes

# Nobody has gone on yet.
for how in none $area; do
	check "$how: its text is that of the file" "$progs/textcmp" "${pids[$how]}"
done
bystander_idle
is "$bystander_wrong" 0 "the bystander has gone on all the while"
check "its text is that of the file" "$progs/textcmp" "$bystander"
check "it ends well" end_steps

go_on_with none
is "$status $says" "0 $whole" "unharmed: all calls return where they should"
go_on_with none-slot
is "$status $says" "0 ${whole/after/slot 1 after}" "unharmed: and what sleeps in a slot goes on there"
for how in $area; do
	# What is on the stacks is the program's own again.
	go_on_with "$how"
	is "$status $says" "0 $whole" "$how: nothing needs the area any more"
	go_on_with "$how-slot"
	check "$how: a thread that sleeps there ends, or goes on" test $status != 137
	like "$says" "^hold 5 nest 37" "$how: the others have returned before"
done
for how in $stack; do
	go_on_with "$how"
	case $how in
	copy) is "$status $says" "0 ${whole/nest/kept 64 nest}" "$how: what it copied stays" ;;
	strike) like "$says" "^hold 5 kept 9( |$)" "$how: what it wrote stays" ;;
	readonly|closed) is "$status $says" "0 $whole" "$how: the calls return where they should" ;;
	*) like "$says" "^hold 5( |$)" "$how: a call elsewhere returns" ;;
	esac
	check "$how: it ends" test $status != 137
done
# Whoever has the file mapped next.
check "the module loads again" load_module
check "the client, too" insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
set_probes
is "$(echo | "$prog" none | paste -sd ' ')" "ready 9 0 $whole" "and the file is probed as before"
is "$(hits 0)" 9 "all calls are seen"
run unregister 0-999
check "the client unloads, the program has ended" goes rmmod uprobe_client
check "the module, too" goes rmmod uprobes
load_module
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
