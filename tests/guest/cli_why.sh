#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: where nothing is shown, or less than was hit, the helper says why
# once: the helper is the same on all kernels
# timeout: 60
# needs: perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

t=$tmp/traced

# why ARGUMENT...: trace what "traced ticks 1 5" does; what is said of it.
why() {
	start "$@"
	"$t" ticks 1 5
	stop
	grep 'note: \|^Ending' "$tmp/err"
}

ktap_plan 11
like "$(why "p:$t:tick n=%di:s32" 'n > 3')" "note: 4 of the hits are not shown: the filter is not true" "the filter"
like "$(why --comm nobody "p:$t:tick")" 'note: 5 hits were of tasks with other names than "nobody" \(--comm\)' "the name"
like "$(why --uid 65534 "p:$t:tick")" "note: 5 hits were of other users than 65534 \(--uid\)" "the user"
is "$(why "p:$t:tick" | grep -c note)" 0 "nothing, where all are shown"
like "$(why "p:$t:text")" "note: no process uses $t at the moment" "nobody has the file"
like "$(why count "p:$t:text")" "note: no process uses $t at the moment" "nor when counting"
like "$(why count --comm nobody "p:$t:tick")" 'note: only hits of tasks with the name "nobody" are counted \(--comm\)' \
	"the name, when counting"
like "$(why lat --uid 65534 "$t:tick")" "note: only hits of user 65534 are counted \(--uid\)" "the user"

mkdir "$tmp/its"
cp "$t" "$tmp/its"
"$tmp/its/traced" slow 10000 &
one=$!
maps() { grep -q "$tmp/its/traced" /proc/$one/maps; }
wait_until "it runs" maps
like "$(why "p:$t:text")" "note: process $one uses another traced than $t: $tmp/its/traced; trace with -p $one, or name that path" \
	"a process has another file of the name"
rm "$tmp/its/traced"
like "$(why "p:$t:text")" "note: process $one uses another traced than $t; trace with -p $one$" "which is deleted"
is "$(why -p $one "p:traced:text" | grep -c note)" 0 "it was asked for"
kill $one
