#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: threads run on without memory for a utask: probes that need a utask count misses, all others count hits
# once: the code that fails is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/inject.inc"

ktap_plan 23
single_step=/sys/module/uprobes/parameters/single_step
stepped_before=$(<$single_step)
at_exit "echo off >$inject; echo $stepped_before >$single_step"
# Steps always need a utask. They come below.
echo 0 >$single_step
site=task.utask_get.reserve_take

steps
plain=$(step threads 3)

# counted N...: sets counts to the hits and misses of the probes since the last time.
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

# without WHAT PROBES WANTED: four new threads make three calls each, without memory for utasks.
# WANTED is the hits and misses of each of PROBES meanwhile.  Three results.
without() {
	local what=$1 probes=$2 wanted=$3 all= n

	for _ in $probes; do
		all+="${all:+, }12 0"
	done
	for n in $probes; do
		run register "$n"
	done
	echo $site:1+ >$inject
	is "$(step threads 3)" "$plain" "$what: without memory the program's results are right"
	read -r failed _ <$inject
	failed_at[$failed]=1
	echo off >$inject
	counted $probes
	is "$failed: $counts" "$site: $wanted" \
		"$what: without memory a probe misses each hit if and only if it needs a utask"
	step threads 3 >/dev/null
	counted $probes
	is "$counts" "$all" "$what: with memory no hit is missed"
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
without "four probes" "2 3 4 5" "12 0, 0 12, 0 12, 0 12"
set_probe 6 $at flags=1 action=again
without "an atomic handler that asks for task context" 6 "0 12"
set_probe 7 $at flags=1 action=again
set_probe 8 $at flags=1
without "two atomic handlers, one of which asks for task context" "7 8" "0 12, 12 0"

# A step cannot do without a utask: the task executes the breakpoint again until it has one.
echo 1 >$single_step
set_probe 11 pid=$pid vaddr=$second flags=1
run register 11
echo 0 >$single_step
for nth in 1 3; do
	echo $site:$nth >$inject
	is "$(step threads 3)" "$plain" "a step, without memory for thread $nth: the program's results are right"
	read -r failed _ <$inject
	failed_at[$failed]=1
	echo off >$inject
	counted 11
	is "$failed: $counts" "$site: 12 0" "a step, without memory for thread $nth: each hit is counted once"
done
run unregister 11

# A star does not match calls in hits: how many there are depends on the program.
# tried: how often $site was passed while anything was injected, and how often it failed.
tried() {
	awk -v site=$site '$1 == site { print $3, $4 }' /sys/kernel/debug/uprobes-inject
}
run register 0
read -r passed_before failed_before < <(tried)
check "a pattern that matches other calls as well is accepted" sh -c "echo 'task.utask_get*,*:1+' >$inject"
step threads 3 >/dev/null
echo off >$inject
counted 0
is "$counts, $(tried)" "12 0, $((passed_before + 4)) $failed_before" "a star does not make calls in hits fail"
run unregister 0
check_fails "a star that matches only calls in hits is refused" sh -c "echo 'task.utask_get*:1' >$inject"
listed_failed
end_steps
