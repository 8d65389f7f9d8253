#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a process may have more calls than the limit while one of them returns in another thread
# full: 300,000 calls under way take a minute
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
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
	is "$said" "$("$prog" $size)" "$size (threads, depth of calls): the result is the same as without probes"
	run register 0-1
	is "$calls" $((threads * (depth + 1) + threads * (threads - 1) / 2 + 1)) \
		"$size: each call is counted as a hit or a miss"
done
run unregister 0-1
