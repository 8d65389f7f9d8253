#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: breakpoints are inserted and removed in text while the program has the kernel drop its pages
# full: text_pages has other pages that the kernel treats specially
# once: mappings and text_pages cover the differences between kernels
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 3

mkfifo "$tmp/in"
"$progs/sheds" 3 <"$tmp/in" >"$out" &
pid=$!
exec 3>"$tmp/in"
# At first, the process still executes the shell.
found() {
	vaddr=$(symbol_in "$pid" "$progs/sheds" work)
	[ -n "$vaddr" ]
}
wait_until "the program is in its process" found
alive=
last=19
[ -z "${FULL:-}" ] || last=59
for n in $(seq 0 $last); do
	set_probe $n pid="$pid" vaddr="$vaddr" flags=$((n % 2))
	run register $n || alive="$alive not $n"
	run unregister $n
	kill -0 $pid || alive="$alive not after $n"
done
is "$alive" "" "each probe is registered, and the program survives it"
end_calls
is $? 0 "the program ends with status 0"
is "$(cat "$out")" "wrong: 0" "the program's results are right"
