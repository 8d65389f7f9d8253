#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: if random threads resume coroutines in return-probed calls, each call is counted once
# full: what it may find is rare
# once: the module's own code decides this, and it is the same on all kernels
# cpus: 2 with FULL=1
# timeout: 400
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 6

prog=$progs/coroutines_random
at=0x$(symbol "$prog" probed_call)
# With FULL=1, a million returns of 10,000 coroutines.
size="8 1000 10"
[ -z "${FULL:-}" ] || size="8 10000 100"
for how in flags=1 flags=0 "flags=1 entry=1 action=data data=40"; do
	n=$((${n:--1} + 1))
	# Handlers that may sleep take several times as long.
	[ "$how" = flags=1 ] || size="8 1000 10"
	set_probe $n path="$prog" offset="$at" returns=1 $how
	run register $n
	calls=$(echo "$size" | awk '{ print $2 * $3 }')
	# shellcheck disable=SC2086
	is "$("$prog" $size $$)" "returned $calls, many of them in other threads, 0 wrong" "$how: the result is right"
	is "$(hits $n) $(missed $n)" "$calls 0" "$how: each return is counted once"
	run unregister $n
done
