#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: while an event is enabled, its reference counter is up in each process
# once: the result depends on the module only, not on the kernel
# needs: readelf nm
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

counter=$(in_file semaphore)
tick=$(where tick)

# counted: start a program that prints its counter, and read it; next: read the counter once more.
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
is "$value" 0 "without a definition the counter is 0"
check "a definition with a reference counter is accepted" define "p:c $tick($counter) n=%di"
like "$(cat $dir/uprobe_events)" "\(0x[0-9a-f]+\) n=%di\$" "uprobe_events lists the definition with its counter"
next
is "$value" 0 "while the event is disabled the counter is 0"
enable
next
is "$value" 1 "while the event is enabled the counter is 1"
is "$("$prog" counted 1)" 1 "in a process that starts later the counter is 1, too"
exec 6<>$dir/session
check "a session accepts a definition with a reference counter" sh -c "echo 'r:s $tick($counter)' >&6"
next
is "$value" 2 "with the session's event the counter is 2"
exec 6<&-
next
is "$value" 1 "after the session has ended the counter is 1"
# The program calls the function after it has printed its counter.
recorded() { [ "$(lines | wc -l)" -ge 4 ]; }
in_time recorded
disable
next
is "$value" 0 "after the event is disabled the counter is 0"
exec 4>&- 5<&-
kill $pid
is "$(lines | wc -l)" 4 "the hits are recorded"
clear
