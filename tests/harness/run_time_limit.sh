#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: qemu/run ends with 124 soon after the time limit of its command
# full: it boots guests, and tests the harness only
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 5

tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
begun=$(date +%s)
{
	"$UPROBES_TOP/qemu/run" --no-module -t 15 -- sh -c 'echo started; sleep 1000' \
		2>"$tmp/err" </dev/null
	echo $? >"$tmp/status"
	date +%s >"$tmp/end"
} | while read -r line; do
	date +%s >"$tmp/start"
	echo "$line" >"$tmp/out"
done
is "$(cat "$tmp/status")" 124 "the status is 124"
is "$(cat "$tmp/out")" started "the output of the command before the limit is not lost"
like "$(cat "$tmp/err")" 'time limit' "the reason is printed"
# The limit begins when the command starts, not when the guest boots. This test sees the start
# a moment later.
end=$(cat "$tmp/end")
check "the command has had 15 s" [ $((end - begun)) -ge 15 ]
took=$((end - $(cat "$tmp/start")))
check "qemu/run ends soon after the limit ($took s)" [ $took -le $((60 * ${TEST_TIMEOUT_SCALE:-1})) ]
