#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: qemu/run ends with 124 soon after the time limit of its command
# full: it boots guests for the harness alone
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
is "$(cat "$tmp/out")" started "what the command wrote until then is there"
like "$(cat "$tmp/err")" 'time limit' "the reason is told"
# The start is seen after it, and the time that booting takes is none of the limit's.
end=$(cat "$tmp/end")
check "it has had its time" [ $((end - begun)) -ge 15 ]
took=$((end - $(cat "$tmp/start")))
check "that is soon after the limit ($took s)" [ $took -le $((60 * ${TEST_TIMEOUT_SCALE:-1})) ]
