#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: when a probe has been unregistered, none of its handlers is running, and none runs any more
# once: what decides here is the module, in the same way on all kernels
# cpus: 2
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 19

# Four threads, all of whose calls are hits.
busy() {
	echo "threads 10000000000000" >&3
}

n=0
for returns in 0 1; do
	for how in unregister disable unmap; do
		what="$how, returns=$returns"
		steps
		set_probe $n pid="$pid" vaddr="$work" flags=0 returns=$returns action=sleep other=700
		run register $n
		busy
		check "$what: handlers sleep" until_is 4 running $n
		run $how $n
		is "$(running $n)" 0 "$what: none is running afterwards"
		seen=$(calls $n)
		sleep 0.5
		is "$(calls $n)" "$seen" "$what: none runs later"
		run unregister $n
		kill -9 "$pid"
		exec 3>&-
		wait $! 2>/dev/null || :
		n=$((n + 1))
	done
done

# Handlers in the trap are over soon: often, while they run in several threads.
steps
busy
late=
rounds=6
[ -z "${FULL:-}" ] || rounds=20
for round in $(seq $rounds); do
	set_probe $n pid="$pid" vaddr="$work" flags=1 returns=$((round % 2))
	run register $n
	seen=$(calls $n)
	called() { [ "$(calls $n)" != "$seen" ]; }
	in_time called || late="$late $round:deaf"
	run unregister $n
	seen=$(calls $n)
	sleep 0.05
	[ "$(calls $n)" = "$seen" ] || late="$late $round"
done
is "$late" "" "in the trap: none runs later"
kill -9 "$pid"
exec 3>&-
wait $! 2>/dev/null || :
