#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper leaves no events behind, and clean removes those of a killed run
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 21

events() {
	wc -l <$dir/uprobe_events
}

for signal in INT TERM HUP; do
	start "p:$tmp/traced:text +0(%di):string"
	is "$(events)" 1 "there is an event while it runs ($signal)"
	"$tmp/traced" all >/dev/null
	stop $signal
	is "$status $(events)" "0 0" "and none after $signal"
	is "$(grep -c ' text: ' "$tmp/out")" "$(awk '/events shown/ { print $3 }' "$tmp/err")" \
		"what was recorded before that was printed ($signal)"
done

# The end by itself.
uprobe -d 0.5 "p:$tmp/traced:text" >/dev/null 2>&1
is "$? $(events)" "0 0" "after the time of -d"
uprobe -c "$tmp/traced all" "p:$tmp/traced:text" >/dev/null 2>&1
is "$? $(events)" "0 0" "after the command of -c"
uprobe -c "$tmp/traced all; $tmp/traced all" -f -M 1 "p:$tmp/traced:text" 2>/dev/null | grep -c ' text: ' >"$tmp/n"
is "$(cat "$tmp/n") $(events)" "1 0" "after the last event of -M"
(trap '' PIPE; uprobe -d 20 "p:$tmp/traced:tick" 2>/dev/null) | head -n 1 >/dev/null &
reader=$!
for _ in $(seq 100); do
	"$tmp/traced" tick 3 >/dev/null 2>&1
	kill -0 $reader 2>/dev/null || break
	sleep 0.1
done
wait $reader
for _ in $(seq 50); do
	[ "$(events)" = 0 ] && break
	"$tmp/traced" tick 3 >/dev/null 2>&1
	sleep 0.1
done
is "$(events)" 0 "after its reader has gone"

# A definition that is refused.
uprobe "p:$tmp/traced:text %nonsense" 2>"$tmp/err"
is "$? $(events)" "1 0" "after an argument that the tracer refuses"
like "$(cat "$tmp/err")" 'Unknown register' "which says why"
uprobe "p:$tmp/traced:text" "p:$tmp/traced:text %nonsense" 2>/dev/null
is "$? $(events)" "1 0" "nor the events that were defined before it"

# kill -9 leaves them, and clean knows them from those that are in use.
start "p:$tmp/traced:text"
killed=$tracer
kill -9 "$killed"
wait "$killed" 2>/dev/null
echo "p:byhand/event $(uprobe offset "$tmp/traced" text)" >>$dir/uprobe_events
start "p:$tmp/traced:text"
like "$(uprobe status)" 'text.*enabled, stale' "status tells a stale event"
like "$(uprobe status)" 'text.*enabled, in use' "from one in use"
uprobe clean 2>"$tmp/cleaned"
is "$(cut -d/ -f1 $dir/uprobe_events | sed 's/cli_.*/cli/' | sort | paste -sd' ')" "p:byhand p:cli" \
	"clean removes the stale one only"
stop
uprobe clean --all 2>/dev/null
is "$(events)" 0 "clean --all removes all"
uprobe status 2>"$tmp/err"
like "$(cat "$tmp/err")" 'no events' "and status says so"
