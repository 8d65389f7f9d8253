#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a definition's reference counter is up in each process while the event is enabled
# once: what decides here is the module, in the same way on all kernels
# needs: readelf nm
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

counter=$(in_file semaphore)
tick=$(where tick)

# counted: starts a program that tells its counter; next: reads it once more.
counted() {
	mkfifo "$tmp/in" "$tmp/out"
	"$prog" counted 9 <"$tmp/in" >"$tmp/out" &
	pid=$!
	exec 4>"$tmp/in" 5<"$tmp/out"
	rm "$tmp/in" "$tmp/out"
	read -r value <&5
}
next() {
	echo >&4
	read -r value <&5
}

ktap_plan 11
clear
counted
is "$value" 0 "nobody traces: the counter is 0"
check "a definition with a counter is taken" define "p:c $tick($counter) n=%di"
like "$(cat $dir/uprobe_events)" "\(0x[0-9a-f]+\) n=%di\$" "and read back with it"
next
is "$value" 0 "it is not enabled: 0"
enable
next
is "$value" 1 "enabled: 1"
is "$("$prog" counted 1)" 1 "also in a process that starts later"
exec 6<>$dir/session
check "a session may count, too" sh -c "echo 'r:s $tick($counter)' >&6"
next
is "$value" 2 "then it is 2"
exec 6<&-
next
is "$value" 1 "until the session ends"
# The program calls the function after it has told its counter.
recorded() { [ "$(lines | wc -l)" -ge 4 ]; }
in_time recorded
disable
next
is "$value" 0 "disabled: 0"
exec 4>&- 5<&-
kill $pid
is "$(lines | wc -l)" 4 "the hits were recorded"
clear
