#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: --return=sites shows the values that a return probe shows, and leaves exceptions alone
# once: the helper is the same on all kernels
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 6

t=$tmp/traced
values() {
	uprobe "--return=$1" -c "setarch $(uname -m) -R $t all" "r:ev $t:give \$retval +0(\$retval):string" \
		2>"$tmp/err" >"$tmp/out"
	fields "$tmp/out" | sed 's/ (0x[^)]*)//'
}

trampoline=$(values trampoline)
like "$trampoline" 'arg2="given"' "by trampoline"
is "$(values sites)" "$trampoline" "at the return instructions"

thrower=$UPROBES_TOP/build/progs/cli_throws
plain=$("$thrower" 100)
uprobe --return=sites -o "$tmp/events" -c "$thrower 100" "r:$thrower:outer \$retval" >"$tmp/out" 2>/dev/null
is "$(cat "$tmp/out")" "$plain" "exceptions go through a function whose returns are probed"
is "$(grep -c ' outer: ' "$tmp/events")" 50 "calls that returned are shown, those that threw are not"
uprobe --return=auto -o "$tmp/events" -c "$thrower 100" "r:$thrower:outer \$retval" >"$tmp/out" 2>/dev/null
is "$(cat "$tmp/out") $(grep -c ' outer: ' "$tmp/events")" "$plain 50" "auto chooses that"
is "$(grep -c 'outer: .*arg1=5$' "$tmp/events")" 1 "with the values"
