#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper does not trace what its own output makes happen, and ends in time whatever comes
# once: the helper is the same on all kernels
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

t=$tmp/traced

# names: of the tasks whose events are in FILE.
names() {
	sed -E 's/^ *([^ ]+)-[0-9]+ +\[.*/\1/' "$1" | sort -u | xargs
}

ktap_plan 14
# The shell writes as soon as it is traced.
start -M 1 p:libc:write
kicks() { echo >/dev/null; ended "$tracer"; }
in_time kicks
wait "$tracer"
is "$(names "$tmp/out")" "${0##*/}" "others are traced"
like "$(cat "$tmp/err")" "note: left out.*: uprobe \($tracer, this one\); --self" "it leaves itself out, and says so"

timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) uprobe -d 1 p:libc:write 2>"$tmp/err" | tee "$tmp/by-tee" | cat >"$tmp/out"
is "${PIPESTATUS[0]}" 0 "-d ends it"
is "$(names "$tmp/out" | tr ' ' '\n' | grep -cx 'uprobe\|tee\|cat')" 0 "neither is it traced then, nor who reads its output"
like "$(cat "$tmp/err")" "note: left out.*: uprobe \([0-9]+, this one\), tee \([0-9]+\), cat \([0-9]+\);" "nor who reads that"
like "$(cat "$tmp/err")" "^Ending tracing\.\.\. $(wc -l <"$tmp/out") events shown, $(wc -l <"$tmp/out") hits," "nor counted"

timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) uprobe --self -M 5 p:libc:write 2>"$tmp/err" >"$tmp/out"
is "$?" 0 "with --self"
is "$(names "$tmp/out")" uprobe "it is traced"
is "$(grep -c 'left out' "$tmp/err")" 0 "and not left out"
uprobe -d 0.3 "p:$t:tick" 2>"$tmp/err" >"$tmp/out"
is "$(grep -c 'left out' "$tmp/err")" 0 "nothing is said where it makes no difference"
start count "p:libc:write"
stop
like "$(cat "$tmp/err")" "left out.* uprobe \(" "count leaves itself out, too"

# More than can be printed.
"$t" ticks 2 1000000000000000 &
load=$!
timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) uprobe -d 1 --json "p:$t:tick n=%di" >"$tmp/out" 2>"$tmp/err"
is "$?" 0 "-d ends it also where events never do"
isnt "$(wc -l <"$tmp/out")" 0 "of which some are shown"
like "$(grep -c 'events were lost' "$tmp/err")" '^[0-9]$' "and lost ones are told of once a second"
kill $load
