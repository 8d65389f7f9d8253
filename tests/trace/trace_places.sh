#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: an event can have twenty thousand places, and has each of them once
# once: the result depends on the module only, not on the kernel
# full: twenty thousand places take 10 s; cli_sdt has four hundred
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

prog=$tmp/many_places
cp "$UPROBES_TOP/build/progs/many_places" "$prog"
TIMEFORMAT="%U %S"

# cpu COMMAND...: run it, and print its CPU time in hundredths of a second. Its output goes to $tmp/out
# and $tmp/err.
cpu() {
	{ time "$@" >"$tmp/out" 2>"$tmp/err"; } 2>"$tmp/time"
	awk '{ printf "%d", 100 * ($1 + $2) }' "$tmp/time"
}

ktap_plan 6
counted=$(cpu uprobe count -c "$prog" "u:$prog:place")
like "$(cat "$tmp/out" "$tmp/err")" "20000 hits, 0 missed" "uprobe count counts all places"
traced=$(cpu uprobe -c "$prog" --max-probes 20000 --buffer 32768 "u:$prog:place")
like "$(cat "$tmp/err")" "20000 events shown, 20000 hits, 0 missed, 0 lost" "uprobe traces all places as one event"
diag "hundredths of a second of processor time: $counted to count, $traced to trace"
# From a tenth of a second on, there is a note: several programs count the places, so that it takes longer.
for other in 1 2 3 4; do
	uprobe count "u:$prog:place" >/dev/null 2>"$tmp/other$other" &
	others="${others:-} $!"
	wait_until "program $other counts the places" grep -q Counting "$tmp/other$other"
done
start count "u:$prog:place"
stop
# shellcheck disable=SC2086
kill -INT $others
# shellcheck disable=SC2086
wait $others
like "$(cat "$tmp/err")" "note: each program that maps $prog starts [0-9]+ ms later, as it gets 20000 probes; " \
	"a note says how much later programs start"

# Definitions at a place that an event has already.
place=$(uprobe offset "$prog" places)
for args in "" " %di" " %si"; do
	echo "p:g/one $place$args" >>$dir/uprobe_events
done 2>/dev/null
is "$(wc -l <$dir/uprobe_events)" 1 "a definition with other arguments does not join the event"
echo "p:g/two $place a=%di" >>$dir/uprobe_events
echo "p:g/two $place a=%si" >>$dir/uprobe_events
check_fails "a place that the event has already is refused" \
	sh -c "echo 'p:g/two $place a=%si' >>$dir/uprobe_events 2>/dev/null"
echo "-:g/two $place" >>$dir/uprobe_events
check "a place can be defined again after its removal" sh -c "echo 'p:g/two $place a=%si' >>$dir/uprobe_events"
