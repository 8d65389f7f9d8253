#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a program that writes to its own rings can only forge its own hits
# once: ring_ends covers the differences between kernels
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/ring.inc"

# now: print the time of the clock of records, which is that of tracefs. The uptime of the system is a
# quarter of a second behind it, or less.
now() {
	awk '/^now ts:/ { print $3 }' $tracefs/per_cpu/cpu0/stats
}
[ -n "$(now)" ] || skip_all "this kernel does not show the time of its trace clock"

rounds=1
[ -z "${FULL:-}" ] || rounds=3
ktap_plan $((rounds * 4))

chmod 755 "$tmp" "$prog"
jump 1
for round in $(seq $rounds); do
	clear
	exec 5<>$dir/session
	echo "buffer_size_kb 16384" >&5
	echo "p:calls $call a=%di:s32 b=%si:s64" >&5
	began=$(now)
	# The hostile program, as an ordinary user, and then one that is not.
	coproc hostile { exec setpriv --reuid=1000 --regid=1000 --clear-groups "$prog" 5<&-; }
	read -r _ hostile_pid <&"${hostile[0]}"
	ringed
	check "round $round: the place needs no trap" warm
	drain <&5 >/dev/null
	echo "forge 20000" >&"${hostile[1]}"
	tell run 4 3000 >/dev/null
	read -r said <&"${hostile[0]}"
	like "$said" '^forged' "round $round: the hostile program has written to its rings: $said"
	drain <&5 >"$tmp/records"
	grep -v -- "-$hostile_pid " "$tmp/records" | sound | grep -v time >"$tmp/others"
	is "$(cat "$tmp/others")" 12000 "round $round: the records of another program are right"
	ended=$(now)
	is "$(awk -v began="$began" -v ended="$ended" '{
		for (i = 1; i <= NF; i++)
			if ($i ~ /^[0-9]+\.[0-9]+:$/ && ($i + 0 < began - 0.1 || $i + 0 > ended + 0.1)) wrong++
	} END { print wrong + 0 }' "$tmp/records")" 0 "round $round: no record is of another time"
	exec {hostile[1]}>&-
	wait "$hostile_pid"
	exec 5<&-
	ringed_end
done
