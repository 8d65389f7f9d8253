#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: any number of probes can be at one address, and each counts every hit
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 20

last=69
nr=$((last + 1))

steps
plain=$(step call 1)

# At one address, 64 atomic probes are called in the trap, more in task context.
for returns in 0 1; do
	awk '{ calls += $5; hits += $3; missed += $4; again += $7 } END { print calls, hits, missed, again }' \
		$client_dir/state >"$tmp/before"
	for i in $(seq 0 $last); do
		set_probe "$i" pid="$pid" vaddr="$work" flags=1 action=again returns=$returns
	done
	run register 0-$last
	is "$(step call 1)" "$plain" "with $nr probes that ask for task context, the program's result is right (returns: $returns)"
	is "$(awk '{ calls += $5; hits += $3; missed += $4; again += $7 } END { print calls, hits, missed, again }' $client_dir/state)" \
		"$(awk -v nr=$nr '{ print $1 + nr, $2 + nr, $3 + 0, $4 + nr }' "$tmp/before")" "all of them are called again"
	run unregister 0-$last
done
sed 's/ .*//' $client_dir/state >"$tmp/all"
is "$(wc -l <"$tmp/all")" $nr "the client's state lists all probes"

plain=$(step call 3)
for kind in "flags=1" "flags=0" "flags=1 returns=1" "flags=0 returns=1" "flags=0 returns=1 entry=1 data=8"; do
	# The counters continue from the last round.
	awk '{ print $3 + 3, $4, $5 + 3 }' $client_dir/state >"$tmp/expected"
	for i in $(seq 0 $last); do
		set_probe "$i" action=nothing "$kind"
	done
	check "$kind: $nr probes are registered" run register 0-$last
	is "$(step call 3)" "$plain" "$kind: the program's result is right"
	awk '{ print $3, $4, $5 }' $client_dir/state >"$tmp/counted"
	check "$kind: each probe is called for each hit" cmp "$tmp/expected" "$tmp/counted"
	run unregister 0-$last
done
end_steps
