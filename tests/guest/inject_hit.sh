#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: threads that there is no memory for run on; who needs it misses their hits, all others have them
# once: the code that fails is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/inject.inc"

ktap_plan 23
single_step=/sys/module/uprobes/parameters/single_step
stepped_before=$(<$single_step)
at_exit "echo off >$inject; echo $stepped_before >$single_step"
# What is stepped over is another matter, which comes below.
echo 0 >$single_step
site=task.utask_get.reserve_take

steps
plain=$(step threads 3)

# counted N...: hits and misses of probes since the last time.
hits_before=() missed_before=()
counted() {
	local n hit miss

	counts=
	for n; do
		hit=$(hits "$n")
		miss=$(missed "$n")
		counts+="${counts:+, }$((hit - hits_before[n])) $((miss - missed_before[n]))"
		hits_before[n]=$hit
		missed_before[n]=$miss
	done
}

# without WHAT PROBES WANTED: four threads, which begin with their calls, three times each.  Hits and
# misses of PROBES are WANTED while there is no memory for them.  Three results.
without() {
	local what=$1 probes=$2 wanted=$3 all= n

	for _ in $probes; do
		all+="${all:+, }12 0"
	done
	for n in $probes; do
		run register "$n"
	done
	echo $site:1+ >$inject
	is "$(step threads 3)" "$plain" "$what: the program's results are right"
	read -r failed _ <$inject
	failed_at[$failed]=1
	echo off >$inject
	counted $probes
	is "$failed: $counts" "$site: $wanted" "$what: hits and misses are what they were"
	step threads 3 >/dev/null
	counted $probes
	is "$counts" "$all" "$what: with memory nothing is missed"
	for n in $probes; do
		run unregister "$n"
	done
}

at="pid=$pid vaddr=$work"
set_probe 0 $at
without "a handler that may sleep" 0 "0 12"
set_probe 1 $at returns=1
without "a return handler" 1 "0 12"
set_probe 2 $at flags=1
set_probe 3 $at
set_probe 4 $at returns=1
set_probe 5 $at flags=1 returns=1
without "several" "2 3 4 5" "12 0, 0 12, 0 12, 0 12"
set_probe 6 $at flags=1 action=again
without "one that asks for task context" 6 "0 12"
set_probe 7 $at flags=1 action=again
set_probe 8 $at flags=1
without "one that asks, of two" "7 8" "0 12, 12 0"

# What is stepped over in its slot cannot do without: it is executed once more.
echo 1 >$single_step
set_probe 11 pid=$pid vaddr=$second flags=1
run register 11
echo 0 >$single_step
for nth in 1 3; do
	echo $site:$nth >$inject
	is "$(step threads 3)" "$plain" "stepped over, without memory for thread $nth: the program's results are right"
	read -r failed _ <$inject
	failed_at[$failed]=1
	echo off >$inject
	counted 11
	is "$failed: $counts" "$site: 12 0" "stepped over, without memory for thread $nth: each hit is counted once"
done
run unregister 11

# A star does not mean it: which call of all it is depends on the program.
# tried: how often $site was passed while anything was injected, and has failed.
tried() {
	awk -v site=$site '$1 == site { print $3, $4 }' /sys/kernel/debug/uprobes-inject
}
run register 0
read -r passed_before failed_before < <(tried)
check "a pattern takes other calls" sh -c "echo 'task.utask_get*,*:1+' >$inject"
step threads 3 >/dev/null
echo off >$inject
counted 0
is "$counts, $(tried)" "12 0, $((passed_before + 4)) $failed_before" "but not those that are made in hits"
run unregister 0
check_fails "nor is one found that is only those" sh -c "echo 'task.utask_get*:1' >$inject"
listed_failed
end_steps
