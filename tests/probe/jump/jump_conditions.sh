#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: probes with conditions see exactly the hits that meet them, with and without traps for the others
# once: jump_foreign covers the differences between kernels
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
ktap_plan 40

insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
at_exit "rmmod uprobe_client"
client=/sys/module/uprobe_client/parameters

# A probe that counts, an atomic handler, one in task context, and a return probe; then places where the
# flags are of use: a condition on a register that the pad has pushed, and one on a large number.
places=(pushes ends leas compares carries_between reds_between)
flags=(8 1 0 1 8 1)
where=(
	"where=di.8.u.lt.100"
	"where=di.4.s.gt.-500 where=di.4.s.le.501 where=di.1.u.bits.3"
	"where=di.2.u.ne.2 where=di.2.u.ne.8"
	"where=di.8.u.ge.1000"
	"where=ax.4.s.le.300"
	"where=di.8.u.lt.0x123456789a where=di.8.u.ne.0x5000000000 where=di.8.s.eq.17"
)
# The same for awk: x is the argument.
holds=(
	"x < 100"
	"x <= 501 && x % 4"
	"x != 2 && x != 8"
	"x >= 1000"
	"3 * x <= 300"
	"x == 17"
)

# hits N: print the hits of probe N, without those of earlier registrations, and its misses.
hits() {
	awk -v n="$1" -v before="${before[$1]:-0}" '$1 == n { print $3 - before, $4 }' $client/state
}

# expected N CALLS [CONDITION]: print how many of CALLS calls of place N meet a condition.
expected() {
	awk -v n="$1" -v calls="$2" "BEGIN {
		for (i = n; i < 6 * calls; i += 6) {
			x = i % 1024
			hits += ${3:-${holds[$1]}}
		}
		print hits + 0, 0
	}"
}

for on in 0 1; do
	jump $on
	jumps_begin
	mapfile -t before < <(awk '$1 < 6 { print $3 }' $client/state)
	for n in "${!places[@]}"; do
		echo "$n where=none" >$client/set
		echo "$n file=$prog offset=$(offset_of "${places[n]}") flags=${flags[n]} returns=$((n == 3))" >$client/set
		echo "$n handler=$((flags[n] != 8)) ${where[n]}" >$client/set
		check "${places[n]}: a probe with conditions is registered" sh -c "echo register $n >$client/run"
	done
	called=0
	per=$((on ? 100 : 400))
	if [ $on = 1 ]; then
		check "no place needs a trap for hits that fail" hot ${#places[@]}
		is "$(grep -c "no trap\$" $client/places)" ${#places[@]} "the client is told so"
	else
		say call 400 >/dev/null
		called=400
		is "$(grep -c "switched off\$" $client/places)" ${#places[@]} "the client is told why hits trap"
	fi
	for n in "${!places[@]}"; do
		# "hot" calls in rounds of 100.
		is "$(hits $n)" "$(for ((i = 0; i < called; i += per)); do
			expected $n $per
		done | awk '{ n += $1 } END { print n + 0, 0 }')" "${places[n]}: the hits are counted"
	done
	here=$(hits 0)
	echo "0 where=none" >$client/set
	echo "0 where=di.8.u.lt.50" >$client/set
	check "other conditions are set" sh -c "echo condition 0 >$client/run"
	for i in 1 2 3 4; do
		say call 1000 >/dev/null
		sleep 0.1
	done
	is "$(($(hits 0 | cut -d' ' -f1) - ${here% *}))" $((4 * $(expected 0 1000 "x < 50" | cut -d' ' -f1))) \
		"then hits are counted that meet these"
	[ $on = 0 ] || is "$(grep -c "no trap\$" $client/places)" ${#places[@]} "again no place needs a trap"
	echo "unregister 0-2" >$client/run
	echo "unregister 3" >$client/run
	echo "unregister 4-5" >$client/run
	like "$(say call 10)" ", 0 wrong\$" "all results were right"
	check "the text is that of the file" "$progs/textcmp" "$pid"
	check "the program ends as it should" jumps_end
	prog=$tmp/jumps.1
	cp "$progs/jumps" "$prog"
done
for bad in di.3.u.eq.1 di.1.u.eq.256 di.4.s.eq.0x80000000 ip.8.u.eq.1 di.8.u.none.1; do
	echo "9 where=none" >$client/set
	echo "9 file=$prog offset=$(offset_of ends) flags=1 where=$bad" >$client/set
	echo "register 9" 2>/dev/null >$client/run && echo "# $bad is accepted" && bad_accepted=1
done
is "${bad_accepted:-0}" 0 "conditions that have no meaning are refused"
like "$(dmesg | tail -n 1)" "a probe cannot be registered: a condition has" "the log says why"
