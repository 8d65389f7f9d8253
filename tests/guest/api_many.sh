#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: any number of probes can be at one address, and each sees each hit
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 18

last=69
nr=$((last + 1))

steps
plain=$(step call 1)

# Task context can be asked for by 64 at a place.
for i in $(seq 0 $last); do
	set_probe "$i" pid="$pid" vaddr="$work" flags=1 action=again
done
run register 0-$last
is "$(step call 1)" "$plain" "$nr that ask for task context: the program's result is right"
is "$(awk '{ calls += $5; hits += $3; missed += $4; again += $7 } END { print calls, hits, missed, again }' $client_dir/state)" \
	"$nr 64 $((nr - 64)) 64" "64 of them are called again, the others have missed the hit"
run unregister 0-$last
sed 's/ .*//' $client_dir/state >"$tmp/all"
is "$(wc -l <"$tmp/all")" $nr "all can be seen"

plain=$(step call 3)
for kind in "flags=1" "flags=0" "flags=1 returns=1" "flags=0 returns=1" "flags=0 returns=1 entry=1 data=8"; do
	# Counters go on where they were.
	awk '{ print $3 + 3, $4, $5 + 3 }' $client_dir/state >"$tmp/expected"
	for i in $(seq 0 $last); do
		set_probe "$i" action=nothing "$kind"
	done
	check "$kind: $nr are registered" run register 0-$last
	is "$(step call 3)" "$plain" "$kind: the program's result is right"
	awk '{ print $3, $4, $5 }' $client_dir/state >"$tmp/counted"
	check "$kind: each is called each time" cmp "$tmp/expected" "$tmp/counted"
	run unregister 0-$last
done
end_steps
