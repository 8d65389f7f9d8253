#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: memory for very many calls of an ordinary user's program is charged to the program, and freed when it ends
# full: memory_charged and ring_charged are shorter
# once: the module's own code decides this, and it is the same on all kernels
# needs: setpriv
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/charged.inc"

# The program may end before the test writes to it.
trap '' PIPE
ktap_plan 10

cp "$progs/coroutines_many" "$tmp/many"
chmod a+rx "$tmp" "$tmp/many"
prog=$tmp/many
threads=8 depth=25000
calls=$((threads * (depth + 1) + threads * (threads - 1) / 2 + 1))
set_probe 0 path="$prog" offset=0x"$(symbol "$prog" probed_pause)" returns=1 flags=1
set_probe 1 path="$prog" offset=0x"$(symbol "$prog" probed_deep)" returns=1 flags=1

# system, paid: print the kilobytes of unreclaimable kernel memory, of the system and of the group.
system() {
	sync
	awk '$1 == "SUnreclaim:" { print $2 }' /proc/meminfo
}
paid() {
	echo $(($(charged slab_unreclaimable) / 1024))
}

# check_undebugged WHAT COMMAND...: check, but skip on the debug kernel, which adds memory of its own to each
# object.
check_undebugged() {
	if [ "$UPROBES_KERNEL" = debug ]; then
		skip "$1" "what debugging adds to each piece of memory is nobody's"
	else
		check "$@"
	fi
}

# Count how often memory is reclaimed to stay within a limit. The "max" of memory.events does not tell: newer
# kernels also count there what fails without reclaim.
reclaims=/sys/kernel/tracing/events/vmscan/mm_vmscan_memcg_reclaim_begin/trigger
[ ! -e $reclaims ] || { echo hist:keys=order >$reclaims && at_exit 'echo !hist:keys=order >$reclaims'; }
reclaims() {
	awk '$1 == "Hits:" { print $2 }' ${reclaims%trigger}hist
}

# begin LIMIT: start the program as user 65534, in the group with this memory limit.
begin() {
	echo "$1" >$group/memory.max
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	: >"$out"
	sh -c "echo \$\$ >$group/cgroup.procs && exec setpriv --reuid 65534 --regid 65534 --clear-groups \
		$prog $threads $depth wait" <"$tmp/in" >"$out" &
	many=$!
	exec 4>"$tmp/in"
}

# deep: true if all calls are under way, or the program has ended.
deep() {
	grep -qx deep "$out" || ! kill -0 $many 2>/dev/null
}

end() {
	echo >&4 2>/dev/null
	exec 4>&-
	wait $many
}

begin max
wait_until "all calls are under way" deep
end
plain=$(cat "$out")
plain_paid=$(paid)

run register 0-1
before=$(system)
begin max
wait_until "all calls are under way" deep
taken=$(($(system) - before)) charged=$(($(paid) - plain_paid))
diag "$calls calls: $taken kB, of which $charged are charged"
check "the program is charged at least 90 bytes for each call" [ $((charged * 1024)) -ge $((calls * 90)) ]
check_undebugged "except for a megabyte, at least nine tenths of the memory are charged to the program" \
	[ $((charged * 10)) -ge $(((taken - 1024) * 9)) ]
end
is "$(cat "$out")" "$plain" "the program's result is the same as without probes"
is "$(all_hits)" "$calls 0" "each call is counted when it returns"
check "the memory of all calls is freed" in_time eval "[ \$(paid) -le $((plain_paid + 512)) ]"

# The limit is too low for all calls. The module must not take memory from others instead.
before=$(system)
begin 24M
wait_until "all calls are under way, or the program has ended" deep
lost() {
	[ $(($(system) - before - $(paid))) -lt 2048 ]
}
# If the program is being killed, its memory is freed meanwhile: wait.
check_undebugged "less than two megabytes are not charged to the program" in_time lost
end
status=$?
diag "the program ended with $status; $(all_hits), of $((2 * calls)); $(xargs <$group/memory.events)"
killed=$(awk '$1 == "oom_kill" { print $2 }' $group/memory.events)
# The program's own pages need memory, too.
missed=$(all_hits | awk '{ print $2 }')
if [ -e $reclaims ]; then
	diag "memory was reclaimed $(reclaims) times"
	check "memory is not reclaimed again for each call that is missed" [ "$(reclaims)" -le $((1000 + missed / 4)) ]
else
	skip "memory is not reclaimed again for each call that is missed" "this kernel has no histograms of events"
fi
is "$status $killed" "0 0" "the program ends with status 0, and is not killed for its own limit"
run unregister 0-1
check "the memory of the limited program is freed" in_time eval "[ \$(paid) -le $((plain_paid + 512)) ]"
is "$("$prog" 2 10)" "paused 42
thread 0: 15
thread 1: 18" "another process still has the right result"
