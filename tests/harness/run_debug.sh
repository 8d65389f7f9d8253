#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a debug kernel has the options to find a module's faults (memory, locks, sleeping, hanging, leaks), and finds them
# full: it boots guests, and tests the harness only
# timeout: 1800
. "$UPROBES_TOP/tests/lib.sh"

# Building the kernel and running these tests takes long, so they run only if KERNEL names it.
kernel=debug
case " $UPROBES_KERNELS " in
*" $kernel "*) ;;
*) skip_all "the kernel $kernel was not asked for (KERNEL=$kernel)" ;;
esac

dir=$(mktemp -d)
at_exit "rm -rf $dir"
cp "$UPROBES_TOP"/tests/harness/faults/{Kbuild,faults.c} "$dir"
kdir=$("$UPROBES_TOP/qemu/fetch" "$kernel" | sed -n 's/^kdir=//p')

# These options find the faults. The kernel must have them, whatever else its configuration asks for.
finds="KASAN PROVE_LOCKING PROVE_RCU DEBUG_ATOMIC_SLEEP DEBUG_KMEMLEAK DEBUG_LIST DEBUG_OBJECTS
FAULT_INJECTION FAULT_INJECTION_DEBUG_FS FAILSLAB FAIL_PAGE_ALLOC FAULT_INJECTION_USERCOPY
DETECT_HUNG_TASK SOFTLOCKUP_DETECTOR"

# fault NAME OPTION...: boot a guest, run $before, and load a module that commits this fault; leaves
# the output in output, and the status in $?.
before=
fault() {
	local name=$1

	shift
	output=$("$UPROBES_TOP/qemu/run" -k "$kernel" "$@" -f "$dir/faults.ko" -- \
		sh -c "$before insmod /tmp/faults.ko fault=$name; exit 7" </dev/null 2>&1)
}

# sets FILE VALUE: from here on, write VALUE to this file of /proc/sys/kernel before each fault.
sets() {
	before="echo $2 >/proc/sys/kernel/$1 || exit 8;"
}

expect() {
	local name=$1 text=$2

	shift 2
	fault "$name" "$@"
	is $? 70 "$name causes a complaint"
	like "$output" "$text" "the complaint of $name names the fault"
}

ktap_plan 36
is "$("$UPROBES_TOP/qemu/fetch" "$kernel" 2>&1 >/dev/null)" "" "the kernel is built once and kept"
check "the faulty module can be built" make -s -C "$kdir" M="$dir" modules
fault none
is $? 7 "without a fault there is no complaint"
is "$(grep -v '^make\|^  ' <<<"$output")" "" "without a fault there is no output"
expect use_after_free '^BUG: KASAN: slab-use-after-free in use_after_free' --no-module
expect sleep_in_atomic '^BUG: (scheduling while atomic|sleeping function called)' --no-module
expect lock_order '^WARNING: possible circular locking dependency' --no-module
expect lock_nesting '^\[ BUG: Invalid wait context \]' --no-module
expect rcu_without_lock '^WARNING: suspicious RCU usage' --no-module
expect list_twice '^list_add double add|^kernel BUG at lib/list_debug' --no-module
expect free_active '^ODEBUG: free active .* object type: timer_list' --no-module
expect warn 'Kernel panic - not syncing: .*panic_on_warn' --no-module
# 5 s are longer than the host ever stops a processor of the guest.
sets hung_task_timeout_secs 5
expect hang '^INFO: task insmod:[0-9]+ blocked for more than [0-9]+ seconds' --no-module
sets watchdog_thresh 5
expect spin '^watchdog: BUG: soft lockup - CPU#[0-9]+ stuck for' --no-module
before=
expect leak '\(unloaded: leak \[faults\]\)'
expect pin '^BUG: module faults cannot be unloaded'

# shellcheck disable=SC2086
printf 'CONFIG_%s=y\n' $finds >"$dir/finds"
is "$(awk -f "$UPROBES_TOP/qemu/granted.awk" "$UPROBES_TOP/qemu/debug.config" "$dir/finds")" "" \
	"the configuration asks for all options that find faults"
"$UPROBES_TOP/qemu/run" -k "$kernel" --no-module -- sh -c '
	zcat /proc/config.gz
	cd /sys/kernel/debug
	for file in failslab fail_page_alloc fail_usercopy; do
		echo "$file $(cat $file/probability)"
	done
	echo "fail-nth $(cat /proc/self/fail-nth)"
	echo "panic_on_warn $(cat /proc/sys/kernel/panic_on_warn)"' </dev/null >"$dir/guest" 2>"$dir/said"
is "$? $(cat "$dir/said")" "0 " "a guest prints its configuration and its settings"
is "$(awk -f "$UPROBES_TOP/qemu/granted.awk" "$dir/guest" "$dir/finds")" "" \
	"the guest's kernel has all options that find faults"
like "$(cat "$dir/guest")" "^panic_on_warn 1$" "a warning causes a panic"
for name in failslab fail_page_alloc fail_usercopy fail-nth; do
	like "$(cat "$dir/guest")" "^$name 0$" "$name exists, and injects no failures by default"
done
