#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: --return=sites shows the same values as a return probe, and does not break exceptions
# once: the helper is the same on all kernels
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 6

t=$tmp/traced
values() {
	uprobe "--return=$1" -c "setarch $(uname -m) -R $t all" "r:ev $t:give \$retval +0(\$retval):string" \
		2>"$tmp/err" >"$tmp/out"
	fields "$tmp/out"
}

trampoline=$(values trampoline)
like "$trampoline" 'arg2="given"' "--return=trampoline shows the values"
is "$(values sites)" "$trampoline" "--return=sites shows the same values"

thrower=$UPROBES_TOP/build/progs/cli_throws
plain=$("$thrower" 100)
uprobe --return=sites -o "$tmp/events" -c "$thrower 100" "r:$thrower:outer \$retval" >"$tmp/out" 2>/dev/null
is "$(cat "$tmp/out")" "$plain" "--return=sites: exceptions pass through a function whose returns are probed"
is "$(grep -c ' outer:' "$tmp/events")" 50 "--return=sites: calls that return are shown, calls that throw are not"
uprobe --return=auto -o "$tmp/events" -c "$thrower 100" "r:$thrower:outer \$retval" >"$tmp/out" 2>/dev/null
is "$(cat "$tmp/out") $(grep -c ' outer:' "$tmp/events")" "$plain 50" \
	"--return=auto uses the return instructions for this function"
is "$(grep -c 'outer: .*arg1=5$' "$tmp/events")" 1 "--return=auto shows the values"
