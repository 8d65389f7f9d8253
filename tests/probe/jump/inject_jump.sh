#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a call fails while a jump is made, the place keeps its breakpoint, and all hits are counted
# once: the code that fails is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/jump_program.inc"
inject=/sys/module/uprobes/parameters/inject
sites="counts.consumer_count_pad.kmalloc jump_make.jump_new.kzalloc jump_text.jump_begin.page_get
	jump_text.jump_begin.page_get_killed pad_area.area_create.kvzalloc
	shared_pages.compat_shmem_file.shmem_file_setup shared_pages.shared_pages_get.shmem_read_mapping_page_gfp
	pad_area.area_put.xa_store"
# The first mapping is that of the slots, the second one that of the pads, then that of the counters.
sites="$sites ssol_area.map_call.vm_mmap:2+ ssol_area.map_call.vm_mmap:3+"
at_exit "echo off >$inject"

# failed SITE: check that the call has failed since injection was turned on.
failed() {
	[ "$(awk -v site="$1" '$1 == site { print ($4 > 0) }' /sys/kernel/debug/uprobes-inject)" = 1 ]
}

# hit_until COMMAND...: call the functions until COMMAND succeeds.
hit_until() {
	for _ in $(tries 100); do
		say call 50 >/dev/null
		called=$((called + 50))
		"$@" && return
		sleep 0.05
	done
	return 1
}

# Without FULL=1, every second site fails.
ring_sites="ring.ring_create.kzalloc ring.ring_create.kcalloc ring.ring_prepare_jump.kcalloc
	shared_pages.compat_shmem_file.shmem_file_setup:1+ shared_pages.shared_pages_get.shmem_read_mapping_page_gfp
	ssol_area.map_call.vm_mmap:2+ pad_area.area_put.xa_store"
if [ -z "${FULL:-}" ]; then
	# shellcheck disable=SC2086
	sites=$(printf '%s\n' $sites | sed -n 'n;p') ring_sites=$(printf '%s\n' $ring_sites | sed -n 'p;n')
fi
# shellcheck disable=SC2086
set -- $sites $ring_sites
ktap_plan $((4 * $# + 7))
# shellcheck disable=SC2086
set -- $sites
jump 1
for site; do
	from=${site#*:}
	[ "$from" != "$site" ] || from=1+
	what=$site site=${site%:*}
	rm -f "$tmp/counts"
	called=0
	jumps_begin
	echo "$site:$from" >$inject
	# shellcheck disable=SC2086
	count_begin "$prog" $(offsets_of $entries $inside)
	check "$what fails" hit_until failed "$site"
	is "$(jumps)" 0 "$what: there is no jump"
	echo off >$inject
	say call 10 >/dev/null
	like "$answer" ", 0 wrong\$" "$what: all results are right"
	for name in $entries $inside; do
		count_of "$name"
	done | sort -u >"$tmp/sums"
	is "$(cat "$tmp/sums")" $((called + 10)) "$what: all hits are counted"
	count_end
	kill "$pid"
	wait "$pid" 2>/dev/null || :
done

# A pad that records has rings besides. The second file and the fourth mapping are those of the rings.
for site in $ring_sites; do
	from=${site#*:}
	[ "$from" != "$site" ] || from=1+
	what=$site site=${site%:*}
	called=0
	jumps_begin
	echo "$site:$from" >$inject
	echo "p:hits $prog:$(offset_of leas) x=%di" >$control/uprobe_events
	echo 1 >$control/events/enable
	: >$control/trace
	check "$what fails for a pad that records" hit_until failed "$site"
	is "$(jumps)" 0 "$what: there is no jump that records"
	echo off >$inject
	say call 10 >/dev/null
	like "$answer" ", 0 wrong\$" "$what: all results of the recorded function are right"
	is "$(grep -c 'x=' $control/trace)" "$(awk '{ print $3 }' $control/uprobe_profile)" "$what: all hits are recorded"
	echo 0 >$control/events/enable
	echo >$control/uprobe_events
	kill "$pid"
	wait "$pid" 2>/dev/null || :
done

# A jump whose pad traps has a site of its own.
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
client=/sys/module/uprobe_client/parameters
called=0
# The registration makes a site, too.
jump 0
jumps_begin
echo "0 file=$prog offset=$(offset_of leas) flags=1 where=di.8.u.bits.64" >$client/set
echo "register 0" >$client/run
say call 1 >/dev/null
for site in site_tree.site_alloc.kmem_cache_alloc pad_area.area_put.xa_store; do
	echo "$site:1+" >$inject
	jump 1
	check "$site fails for a pad that traps" hit_until failed "$site"
	is "$(jumps)" 0 "$site: there is no jump"
	jump 0
	echo off >$inject
done
jump 1
check "later there is one" hot 1
# Unloading goes through all pads, also through those of the jumps that have failed.
check "the module unloads" sh -c "rmmod uprobe_client && rmmod uprobes_trace uprobes"
load_module
say call 10 >/dev/null
like "$answer" ", 0 wrong\$" "all results are right"
jumps_end
