#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: for 12 s (FULL=1: 60 s), programs do all that is hard for probes while probes and the module come and go
# full: what it may find is rare; make torture is half an hour of it
# once: its races are in the module
# cpus: 2
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 1

seed=${SEED:-1} seconds=12 tmp=$(mktemp -d)
[ -z "${FULL:-}" ] || seconds=60
{
	"$UPROBES_TOP/tests/torture/guest" "${TORTURE_SECONDS:-$seconds}" "$seed"
	echo $? >"$tmp/status"
} 2>&1 | tee "$tmp/log"
status=$(cat "$tmp/status")
# A report shows the last lines before a failure. So end with what was wrong, not with the summary.
[ "$status" = 0 ] || grep -B 5 "^# WRONG" "$tmp/log"
rm -rf "$tmp"
is "$status" 0 "the torture finds nothing wrong with SEED=$seed"
