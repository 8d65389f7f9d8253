#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a registration fails, at whichever call, the next one uses the SSOL area that it has left in the process
# full: hundreds of processes, with a different failure in each; inject_api takes a sample
# once: the code that fails is the same on all kernels
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/inject.inc"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 8

areas() { grep -c -F '[uprobes]' "/proc/$pid/maps"; }

failures=0 wrong=0
for ((n = 1; n < 1000; n++)); do
	# Each round needs a process that was never probed.
	steps
	# The slots of all three are written together.
	set_probe 0 pid="$pid" vaddr="$work" returns=1 flags=1
	set_probe 1 pid="$pid" vaddr="$nest"
	set_probe 2 pid="$pid" vaddr="$second"
	sites=
	for try in 1 2 3; do
		echo "*:$n" >$inject
		run register 0-2 2>/dev/null && run unregister 0-2
		read -r site _ <$inject
		echo off >$inject
		sites="$sites $site"
		[ "$site" = none ] || failed_at[$site]=1
	done
	run register 0-2
	status=$?
	[ "$status $(areas) $(step call 3)" = "0 1 call 912" ] || {
		wrong=$((wrong + 1))
		diag "$n,$sites failed: status $status, $(areas) areas"
	}
	run unregister 0-2
	end_steps
	failures=$((failures + 1))
	[ "$sites" != " none none none" ] || break
done
check "more than ten rounds had calls to fail" [ "$failures" -gt 10 ]
is $wrong 0 "after each of $((failures - 1)) failures a registration works, with one area in the process"
for site in slots.slot_add ssol_area.ssol_area_create site_tree.site_alloc slot_batch.batch_code \
	ssol_area.compat_gup_remote; do
	check "one of the failed calls was $site" grep -q -F "$site" <<<"${!failed_at[*]}"
done
listed_failed
