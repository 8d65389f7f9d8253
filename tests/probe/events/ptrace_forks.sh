#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: in a process that a probed system call has created, a tracer sees the same registers as unprobed
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 14

prog=$progs/traced_fork
plain=$("$prog")
is "$(echo "$plain" | sort | uniq -c | awk '{ print $1 }' | xargs)" "5 1" "unprobed: the tracer sees each new process"
set_instructions "$prog" forker
for flags in 0 1 4; do
	for i in $(seq 0 $last); do
		set_probe "$i" flags=$flags
	done
	check "flags=$flags: $n instructions of the file are probed" run register 0-$last
	is "$("$prog")" "$plain" "flags=$flags: the tracer sees the same as unprobed"
	run unregister 0-$last
done
is "$(hits 1)" 15 "each fork is a hit"
n=$((n + 10))
mkfifo "$tmp/fifo"
for flags in 0 1 4; do
	: >"$out"
	"$prog" waits <"$tmp/fifo" >"$out" &
	exec 3>"$tmp/fifo"
	until_is 1 lines
	read -r pid at <"$out"
	set_probe $n pid="$pid" vaddr=$((at + 5)) flags=$flags
	check "flags=$flags: the system call of the process is probed" run register $n
	exec 3>&-
	wait $!
	is "$(hits $n), $(sed 1d "$out")" "5, $plain" \
		"flags=$flags: the tracer sees the same as unprobed, and each fork is a hit"
	n=$((n + 1))
done
