#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a tracer sees the same registers as unprobed, in the middle of system calls, too
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 9

plain=$("$progs/ptracer")
like "$plain" "^system call at .* nr 110 rcx .[0-9]" "unprobed: rcx is what the CPU leaves there"
like "$plain" "^signal at" "unprobed: the tracer sees the signal stop"
set_instructions "$progs/ptracer" calls
for flags in 0 1; do
	for i in $(seq 0 $last); do
		set_probe "$i" flags=$flags
	done
	check "flags=$flags: $n instructions are probed" run register 0-$last
	is "$("$progs/ptracer")" "$plain" "flags=$flags: the tracer sees the same as unprobed"
	run unregister 0-$last
	is "$(awk '{ print $3 }' $client_dir/state | sort -u)" $((5 + 5 * flags)) "flags=$flags: each hit is counted once"
done
is "$(awk '$4' $client_dir/state)" "" "no hit is missed"
