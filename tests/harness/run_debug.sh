#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: on a debug kernel, faults of a module are complaints: memory, locks, sleeping, leaks
# timeout: 1800
. "$UPROBES_TOP/tests/lib.sh"

# Building it takes long, and so do these tests: only when it is asked for.
kernel=debug
case " $UPROBES_KERNELS " in
*" $kernel "*) ;;
*) skip_all "the kernel $kernel was not asked for (KERNEL=$kernel)" ;;
esac

dir=$(mktemp -d)
at_exit "rm -rf $dir"
cp "$UPROBES_TOP"/tests/harness/faults/{Kbuild,faults.c} "$dir"
kdir=$("$UPROBES_TOP/qemu/fetch" "$kernel" | sed -n 's/^kdir=//p')

# fault NAME OPTION...: the complaints of a guest in which it is committed
fault() {
	local name=$1

	shift
	output=$("$UPROBES_TOP/qemu/run" -k "$kernel" "$@" -f "$dir/faults.ko" -- \
		sh -c "insmod /tmp/faults.ko fault=$name; exit 7" </dev/null 2>&1)
}

expect() {
	local name=$1 text=$2

	shift 2
	fault "$name" "$@"
	is $? 70 "$name is a complaint"
	like "$output" "$text" "which names it"
}

ktap_plan 22
is "$("$UPROBES_TOP/qemu/fetch" "$kernel" 2>&1 >/dev/null)" "" "it is built once and kept"
check "the faulty module can be built" make -s -C "$kdir" M="$dir" modules
fault none
is $? 7 "no fault, no complaint"
is "$(grep -v '^make\|^  ' <<<"$output")" "" "nothing is said either"
expect use_after_free '^BUG: KASAN: slab-use-after-free in use_after_free' --no-module
expect sleep_in_atomic '^BUG: (scheduling while atomic|sleeping function called)' --no-module
expect lock_order '^WARNING: possible circular locking dependency' --no-module
expect lock_nesting '^\[ BUG: Invalid wait context \]' --no-module
expect rcu_without_lock '^WARNING: suspicious RCU usage' --no-module
expect list_twice '^list_add double add|^kernel BUG at lib/list_debug' --no-module
expect free_active '^ODEBUG: free active .* object type: timer_list' --no-module
expect leak '\(unloaded: leak \[faults\]\)'
expect pin '^BUG: module faults cannot be unloaded'
