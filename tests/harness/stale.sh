#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: stale.awk blames the emulator for a stale breakpoint only where vmlinux patches itself
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 9

# dump RIP CODE: check whether stale.awk blames the emulator for an int3 complaint with these lines.
dump() {
	printf '%s\n' "int3: 0000 [#1] PREEMPT SMP NOPTI" "CPU: 0 PID: 1" "RIP: 0010:$1" "Code: 48 89 $2 00" |
		awk -f "$UPROBES_TOP/qemu/stale.awk"
}

check "emulator: a jump label that is a nop again" dump "__schedule+0x339/0xbf0" "0f <1f> 44 00 00 48 85 c0"
check "emulator: a jump label of two bytes that is a nop again" dump "kmem_cache_alloc+0x39/0x3b0" "66 <90> 48 89"
check "emulator: a jump" dump "__schedule+0x339/0xbf0" "e9 <12> 00 00 00 48"
check "emulator: a call of ftrace at a function's entry" dump "do_exit+0x4/0xb20" "e8 <00> 00 00 00 55"
check_fails "kernel: a breakpoint that is in memory" dump "__schedule+0x339/0xbf0" "cc <1f> 44 00 00"
check_fails "kernel: text of a module" dump "hit_trap+0x1b/0x90 [uprobes]" "0f <1f> 44 00 00"
check_fails "kernel: an instruction that vmlinux does not patch" dump "__schedule+0x339/0xbf0" "55 <48> 89 e5 53"
check_fails "kernel: an address without a function" dump "0xffffffffc0401000" "0f <1f> 44 00 00"
check_fails "kernel: another complaint" sh -c 'echo "BUG: kernel NULL pointer dereference" | awk -f "$UPROBES_TOP/qemu/stale.awk"'
