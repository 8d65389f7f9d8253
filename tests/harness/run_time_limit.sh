#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: qemu/run ends with 124 soon after its time limit, and leaves no process
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 4

start=$(date +%s)
output=$("$UPROBES_TOP/qemu/run" --no-module -t 10 -- sh -c 'echo started; sleep 1000' \
	2>&1 </dev/null)
is $? 124 "the status is 124"
like "$output" '^started$' "what the command wrote until then is there"
like "$output" 'time limit' "the reason is told"
took=$(($(date +%s) - start))
check "that takes about as long as the limit ($took s)" [ $took -le 30 ]
