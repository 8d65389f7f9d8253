#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a process with very many calls under way can fork, and another process is not affected
# full: half a million calls under way take a minute
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 3

prog=$progs/coroutines_many
limit=$((120 * ${TEST_TIMEOUT_SCALE:-1}))
set_probe 0 path="$prog" offset=0x"$(symbol "$prog" probed_pause)" returns=1 flags=1
set_probe 1 path="$prog" offset=0x"$(symbol "$prog" probed_deep)" returns=1 flags=1
plain=$("$prog" 4 60000 fork) small=$("$prog" 2 10)
run register 0-1
timeout -s KILL $limit "$prog" 4 60000 fork >"$out" &
many=$!
bad=0 times=0
while kill -0 $many 2>/dev/null; do
	[ "$(timeout -s KILL $((limit / 4)) "$prog" 2 10)" = "$small" ] || bad=$((bad + 1))
	times=$((times + 1))
done
wait $many
is "$(cat "$out")" "$plain" "the results of parent and child are the same as without probes"
is $bad 0 "meanwhile, another process has the right result in each of $times runs"
# The parent has 4 x 60,001 calls and 6 more, the child has as many, and there are three pauses.
is "$(all_hits | awk '{ print $1 + $2 }')" $((2 * 240010 + 3 + times * 24)) "each call is counted as a hit or a miss"
run unregister 0-1
