#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: after a probe was unregistered, no handler of it is running, and none starts
# once: the module's own code decides this, and it is the same on all kernels
# cpus: 2
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan $((FULL ? 19 : 7))

# busy: let four threads call the probed function all the time.
busy() {
	echo "threads 10000000000000" >&3
}

# Without FULL=1, what is busy all the time leaves the processor to the test.
leave="nice -n 19"
[ -z "${FULL:-}" ] || leave=

n=0
for returns in 0 1; do
	for how in unregister disable unmap; do
		case $returns$how in
		0unregister | 1unmap) ;;
		*) [ -n "${FULL:-}" ] || continue ;;
		esac
		what="$how, returns=$returns"
		as=$leave steps
		set_probe $n pid="$pid" vaddr="$work" flags=0 returns=$returns action=sleep other=700
		run register $n
		busy
		check "$what: four handlers sleep" until_is 4 running $n
		run $how $n
		is "$(running $n)" 0 "$what: no handler is running afterwards"
		seen=$(calls $n)
		sleep 0.5
		is "$(calls $n)" "$seen" "$what: no handler starts afterwards"
		run unregister $n
		kill -9 "$pid"
		exec 3>&-
		wait $! 2>/dev/null || :
		n=$((n + 1))
	done
done

# Handlers in the trap are short: unregister many times while several threads run them.
as=$leave steps
busy
late=
rounds=2
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
is "$late" "" "handlers in the trap: none starts after unregistering"
kill -9 "$pid"
exec 3>&-
wait $! 2>/dev/null || :
