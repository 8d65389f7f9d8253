#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper does not trace events that its own output causes, and ends in time under any load
# once: the helper is the same on all kernels
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

t=$tmp/traced

# names FILE: print the names of the tasks whose events are in FILE.
names() {
	sed -E 's/^ *([^ ]+)-[0-9]+ +\[.*/\1/' "$1" | sort -u | xargs
}

ktap_plan 14
# Cause writes of the shell until the helper has seen one.
start -M 1 p:libc:write
kicks() { echo >/dev/null; ended "$tracer"; }
in_time kicks
wait "$tracer"
is "$(names "$tmp/out")" "${0##*/}" "other processes are traced"
like "$(cat "$tmp/err")" "note: left out.*: uprobe \($tracer, this one\); --self" \
	"the helper leaves itself out, and a note says so"

timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) uprobe -d 1 p:libc:write 2>"$tmp/err" | tee "$tmp/by-tee" | cat >"$tmp/out"
is "${PIPESTATUS[0]}" 0 "-d ends the helper"
is "$(names "$tmp/out" | tr ' ' '\n' | grep -cx 'uprobe\|tee\|cat')" 0 \
	"-d: the helper and the readers of its output are not traced"
like "$(cat "$tmp/err")" "note: left out.*: uprobe \([0-9]+, this one\), tee \([0-9]+\), cat \([0-9]+\);" \
	"-d: a note names the helper, its reader, and the reader's reader"
like "$(cat "$tmp/err")" "^Ending tracing\.\.\. $(wc -l <"$tmp/out") events shown, $(wc -l <"$tmp/out") hits," \
	"-d: their hits are not counted"

timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) uprobe --self -M 5 p:libc:write 2>"$tmp/err" >"$tmp/out"
is "$?" 0 "--self: the helper ends with status 0"
is "$(names "$tmp/out")" uprobe "--self: the helper traces itself"
is "$(grep -c 'left out' "$tmp/err")" 0 "--self: no note says that something is left out"
uprobe -d 0.3 "p:$t:tick" 2>"$tmp/err" >"$tmp/out"
is "$(grep -c 'left out' "$tmp/err")" 0 "if the helper does not use the probed file, there is no note"
start count "p:libc:write"
stop
like "$(cat "$tmp/err")" "left out.* uprobe \(" "count leaves itself out, too"

# More events than the helper can print.
"$t" ticks 2 1000000000000000 &
load=$!
began=$SECONDS
timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) uprobe -d 1 --json "p:$t:tick n=%di" >"$tmp/out" 2>"$tmp/err"
status=$? took=$((SECONDS - began))
is $status 0 "-d ends the helper even if events never end"
isnt "$(wc -l <"$tmp/out")" 0 "some of these events are shown"
# On a busy machine, the helper ends later.
lost=$(grep -c 'events were lost' "$tmp/err")
check "lost events are reported once a second: $lost times in $took s" [ "$lost" -le $((took + 2)) ]
kill $load
