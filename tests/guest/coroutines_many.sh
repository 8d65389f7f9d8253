#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a process with more calls than are kept, when one of them returns in another thread
# full: 300,000 live calls take a minute
# once: what decides here is the module, in the same way on all kernels
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 6

prog=$progs/coroutines_many
set_probe 0 path="$prog" offset=0x"$(symbol "$prog" probed_pause)" returns=1 flags=1
set_probe 1 path="$prog" offset=0x"$(symbol "$prog" probed_deep)" returns=1 flags=1
run register 0-1
# CALLS_MAX is 262,144.
for size in "3 20000" "5 60000" "5 60000 away"; do
	threads=${size%% *} depth=${size#* } depth=${depth% away}
	before=$(all_hits)
	# shellcheck disable=SC2086
	said=$("$prog" $size)
	# shellcheck disable=SC2046
	calls=$(echo "$before $(all_hits)" | awk '{ print $3 + $4 - $1 - $2 }')
	run unregister 0-1
	# shellcheck disable=SC2086
	is "$said" "$("$prog" $size)" "$size (threads, depth of calls): as unprobed"
	run register 0-1
	is "$calls" $((threads * (depth + 1) + threads * (threads - 1) / 2 + 1)) "each call is accounted for"
done
run unregister 0-1
