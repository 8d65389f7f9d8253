#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper leaves nothing behind, however it ends, and "uprobe clean" removes stale events
# once: the helper is the same on all kernels
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 27

events() {
	wc -l <$dir/uprobe_events
}

for signal in INT TERM HUP; do
	start "p:$tmp/traced:text +0(%di):string"
	is "$(events)" 0 "the helper's event is not in uprobe_events ($signal)"
	"$tmp/traced" all >/dev/null
	stop $signal
	is "$status $(events)" "0 0" "after $signal, no event is left"
	is "$(grep -c ' text:' "$tmp/out")" "$(awk '/events shown/ { print $3 }' "$tmp/err")" \
		"all events before $signal are printed"
done

# The helper ends by itself.
uprobe -d 0.5 "p:$tmp/traced:text" >/dev/null 2>&1
is "$? $(events)" "0 0" "after the time of -d, no event is left"
uprobe -c "$tmp/traced all" "p:$tmp/traced:text" >/dev/null 2>&1
is "$? $(events)" "0 0" "after the command of -c, no event is left"
(trap '' CHLD; exec timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) uprobe -c "$tmp/traced all" "p:$tmp/traced:text") >/dev/null 2>&1
is "$? $(events)" "0 0" "after -c, no event is left if the parent ignores SIGCHLD"
uprobe -c "$tmp/traced all; $tmp/traced all" -f -M 1 "p:$tmp/traced:text" 2>/dev/null | grep -c ' text:' >"$tmp/n"
is "$(cat "$tmp/n") $(events)" "1 0" "after the last event of -M, no event is left"
(trap '' PIPE; exec uprobe "p:$tmp/traced:tick" 2>/dev/null) | head -n 1 >"$tmp/first" &
# The helper learns that its reader has gone when it writes a line: cause hits.
hit() { "$tmp/traced" ticks 1 3; }
seen() { hit; [ -s "$tmp/first" ]; }
wait_until "the reader has a line" seen
left() { hit; [ -z "$(uprobe status)" ]; }
check "the helper ends when its reader has gone" in_time left
is "$(events)" 0 "after its reader has gone, no event is left"

# The tracer refuses a definition.
uprobe "p:$tmp/traced:text %nonsense" 2>"$tmp/err"
is "$? $(events)" "1 0" "after an argument that the tracer refuses, no event is left"
like "$(cat "$tmp/err")" 'Unknown register' "the error tells why the argument is refused"
uprobe "p:$tmp/traced:text" "p:$tmp/traced:text %nonsense" 2>/dev/null
is "$? $(events)" "1 0" "after a refused definition, earlier events are removed, too"

# After kill -9, the helper cannot clean up itself.
"$tmp/traced" ticks 1 1000000000000000 >/dev/null &
probed=$!
start "p:$tmp/traced:tick"
like "$(uprobe status --json)" "^\{\"event\":\"tick\",\"file\":\"$tmp/traced\",\"comm\":\"uprobe\",\"pid\":$tracer,\"hits\":[0-9]+,\"missed\":0\}\$" \
	"status --json has the same in an object"
like "$(uprobe status)" "^tick $tmp/traced  \\[uprobe-$tracer, [0-9]+ hits, 0 missed\\]\$" \
	"status shows which helper has which probes"
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
is "$(events)" 0 "kill -9 leaves no event"
is "$(uprobe status 2>/dev/null)" "" "after kill -9, status shows no probe"
at=$(uprobe offset "$tmp/traced" tick)
base=$(awk -v f="$tmp/traced" '$6 == f { sub(/-.*/, "", $1); print $1, $3; exit }' /proc/$probed/maps)
byte() { dd if="$1" bs=1 skip="$2" count=1 iflag=skip_bytes 2>/dev/null | od -An -tx1; }
is "$(byte /proc/$probed/mem $((0x${base% *} + ${at##*:} - 0x${base#* })))" "$(byte "$tmp/traced" $((${at##*:})))" \
	"kill -9 leaves no breakpoint in a probed process"
kill $probed

# Events in the directory: one of an older helper, and one that was defined by hand.
echo "p:cli_999999_1/text $(uprobe offset "$tmp/traced" text)" >>$dir/uprobe_events
echo "p:byhand/event $(uprobe offset "$tmp/traced" text)" >>$dir/uprobe_events
like "$(uprobe status)" 'text.*stale' "status marks a stale event"
uprobe clean 2>"$tmp/cleaned"
is "$(cut -d/ -f1 $dir/uprobe_events | sed 's/cli_.*/cli/' | sort | paste -sd' ')" "p:byhand" \
	"clean removes only the stale event"
uprobe clean --all 2>/dev/null
is "$(events)" 0 "clean --all removes all events"
uprobe status 2>"$tmp/err"
like "$(cat "$tmp/err")" 'no events' "afterwards, status says that there are no events"
