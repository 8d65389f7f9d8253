#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: an event can have twenty thousand places, and has each of them once
# once: what decides here is the module, in the same way on all kernels
# full: twenty thousand places take 10 s; cli_sdt has four hundred
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

prog=$tmp/many_places
cp "$UPROBES_TOP/build/progs/many_places" "$prog"
TIMEFORMAT="%U %S"

# cpu COMMAND...: hundredths of a second of processor time; what it says is in $tmp/err.
cpu() {
	{ time "$@" >"$tmp/out" 2>"$tmp/err"; } 2>"$tmp/time"
	awk '{ printf "%d", 100 * ($1 + $2) }' "$tmp/time"
}

ktap_plan 5
counted=$(cpu uprobe count -c "$prog" "u:$prog:place")
like "$(cat "$tmp/out" "$tmp/err")" "20000 hits, 0 missed" "all places are counted"
traced=$(cpu uprobe -c "$prog" --max-probes 20000 --buffer 32768 "u:$prog:place")
like "$(cat "$tmp/err")" "20000 events shown, 20000 hits, 0 missed, 0 lost" "and are an event"
diag "hundredths of a second of processor time: $counted to count, $traced to trace"

# What is at the same place, and what is not.
place=$(uprobe offset "$prog" places)
for args in "" " %di" " %si"; do
	echo "p:g/one $place$args" >>$dir/uprobe_events
done 2>/dev/null
is "$(wc -l <$dir/uprobe_events)" 1 "other arguments are no more of one event"
echo "p:g/two $place a=%di" >>$dir/uprobe_events
echo "p:g/two $place a=%si" >>$dir/uprobe_events
check_fails "what an event has already is refused" sh -c "echo 'p:g/two $place a=%si' >>$dir/uprobe_events 2>/dev/null"
echo "-:g/two $place" >>$dir/uprobe_events
check "and can be had again when it has gone" sh -c "echo 'p:g/two $place a=%si' >>$dir/uprobe_events"
