#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the module can unload while programs sleep in probed calls and have damaged their SSOL area or stacks
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/hostile.inc"

prog=$progs/hostile_unload
whole="hold 5 nest 37 after 14950"
# Two programs do each kind of damage to the SSOL area: one without and one with a thread that sleeps in a
# slot. Such a thread may be harmed.
area="unmap replace" stack="copy readonly fault"
if [ -n "${FULL:-}" ]; then
	area="unmap overwrite protect replace move discard"
	stack="copy strike readonly closed sealed fresh gone fault"
fi

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

# begin WHO HOW [slot]: start a program, and wait until it has done its damage and sleeps.
declare -A pids inputs
begin() {
	mkfifo "$tmp/$1.in"
	"$prog" "${@:2}" <"$tmp/$1.in" >"$tmp/$1.said" 2>&1 &
	pids[$1]=$!
	exec {fd}>"$tmp/$1.in"
	inputs[$1]=$fd
	wait_until "$1 sleeps" grep -q '^ready' "$tmp/$1.said"
}

# go_on_with WHO: let the program go on and end. Sets $says, its output, and $status, which is that of
# SIGKILL if the program did not end by itself.
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

# goes COMMAND...: true if COMMAND ends in time with status 0.
goes() {
	"$@" &
	in_time ended $! && wait $!
}

# shellcheck disable=SC2086
in_area=$(set -- $area; echo $#) on_stack=$(set -- $stack; echo $#)
ktap_plan $((16 + 4 * in_area + 2 * on_stack))
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
	"$((1 + in_area + on_stack)) ready 9 0,$((1 + in_area)) ready 9 1" \
	"all programs sleep in calls with replaced return addresses, some also in a slot"
bystander_fine "before"
check "the client unloads" goes rmmod uprobe_client
check "the module unloads" goes rmmod uprobes_trace uprobes

# No program has gone on yet.
for how in none $area; do
	check "$how: the program's text equals the file" "$progs/textcmp" "${pids[$how]}"
done
bystander_idle
is "$bystander_wrong" 0 "the bystander has right results all the time"
check "the bystander's text equals its file" "$progs/textcmp" "$bystander"
check "the bystander ends with status 0" end_steps

go_on_with none
is "$status $says" "0 $whole" "without damage: all calls return to the right place"
go_on_with none-slot
is "$status $says" "0 ${whole/after/slot 1 after}" "without damage: a thread that sleeps in a slot continues there"
for how in $area; do
	# The real return addresses are back on the stacks.
	go_on_with "$how"
	is "$status $says" "0 $whole" "$how: the program does not need the SSOL area any more"
	go_on_with "$how-slot"
	check "$how: a program with a thread in a slot ends" test $status != 137
	like "$says" "^hold 5 nest 37" "$how: its other threads have returned before"
done
for how in $stack; do
	go_on_with "$how"
	case $how in
	copy) is "$status $says" "0 ${whole/nest/kept 64 nest}" "$how: the program's copies stay as they are" ;;
	strike) like "$says" "^hold 5 kept 9( |$)" "$how: what the program wrote stays as it is" ;;
	readonly|closed) is "$status $says" "0 $whole" "$how: the calls return to the right place" ;;
	*) like "$says" "^hold 5( |$)" "$how: a call on another stack returns" ;;
	esac
	check "$how: the program ends" test $status != 137
done
# Load the module again, and probe the same file.
check "the module loads again" load_module
check "the client loads again" insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
set_probes
is "$(echo | "$prog" none | paste -sd ' ')" "ready 9 0 $whole" "the file can be probed again, and the results are right"
is "$(hits 0)" 9 "all calls are counted"
run unregister 0-999
check "after the program has ended, the client unloads" goes rmmod uprobe_client
check "after the program has ended, the module unloads" goes rmmod uprobes_trace uprobes
load_module
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
