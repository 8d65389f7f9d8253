#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: complaints of the kernel are distinguished from other lines in its log
. "$UPROBES_TOP/tests/lib.sh"

tmp=$(mktemp)
at_exit "rm -f $tmp"
judge() {
	awk -f "$UPROBES_TOP/qemu/complaints.awk" "$tmp" >/dev/null
	echo $?
}

cat >"$tmp.all" <<'END'
1 [    4.123456] WARNING: CPU: 1 PID: 88 at module/main.c:8 hello_init+0x9a/0x1000 [hello]
1 [    4.123456] WARNING: module/main.c:8 at hello_init+0x9a/0x1000, CPU#1: insmod/88
1 [    4.123456][   T88] WARNING: possible circular locking dependency detected
1 [    4.123456] WARNING: suspicious RCU usage
1 [    4.123456] BUG: kernel NULL pointer dereference, address: 0000000000000008
1 [    4.123456] BUG: KASAN: slab-use-after-free in hello_init+0x9a/0x1000
1 [    4.123456] BUG kmalloc-64 (Tainted: G           OE    ): Redzone overwritten
1 [    4.123456] ------------[ cut here ]------------
1 [    4.123456] [ BUG: Invalid wait context ]
1 [    4.123456] BUG: sleeping function called from invalid context at mm/slab.h:1
1 [    4.123456] kernel BUG at module/main.c:10!
1 [    4.123456] Oops: general protection fault: 0000 [#1] PREEMPT SMP NOPTI
1 [    4.123456] general protection fault: 0000 [#1] PREEMPT SMP NOPTI
1 [    4.123456] invalid opcode: 0000 [#1] PREEMPT SMP NOPTI
1 [    4.123456] rcu: INFO: rcu_preempt self-detected stall on CPU
1 [    4.123456] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
1 [    4.123456] INFO: task insmod:138 blocked for more than 61 seconds.
1 [    4.123456] watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [insmod:88]
1 [    4.123456] Kernel panic - not syncing: sysrq triggered crash
1 [    4.123456] refcount_t: underflow; use-after-free.
1 [    4.123456] UBSAN: array-index-out-of-bounds in module/main.c:3:4
1 [    4.123456] kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
1 WARNING: a line without a time
0 [    4.123456] traps: calls[138] general protection fault ip:40 sp:7f error:0 in calls[40+1]
0 [    4.123456] calls[138]: segfault at 0 ip 0000000000000000 sp 00007ffe error 14 in calls
0 [    4.123456] RETBleed: WARNING: Spectre v2 mitigation leaves CPU vulnerable
0 [    4.123456] uprobes: loading out-of-tree module taints kernel.
0 [    4.123456] uprobes: module verification failed: signature and/or required key missing - tainting kernel
0 [    4.123456] Unstable clock detected, switching default tracing clock to "global"
0 [    4.123456] uprobes: debug: nothing is wrong
0 [    4.123456] sysrq: Power Off
0 [    4.123456] mtrr: your CPUs had inconsistent fixed MTRR settings
0
END
at_exit "rm -f $tmp.all"
ktap_plan $(($(wc -l <"$tmp.all") + 5))
while read -r verdict line; do
	printf '%s\r\n' "$line" >"$tmp"
	is "$(judge)" "$verdict" "$line"
done <"$tmp.all"

printf '%s\n' '[ 1.0] before' '[ 1.1] ------------[ cut here ]------------' \
	'[ 1.1] what is wrong' '[ 1.1] WARNING: CPU: 0' '[ 1.2] Call Trace:' \
	'[ 1.3] ---[ end trace 0000000000000000 ]---' '[ 1.4] after' >"$tmp"
is "$(awk -f "$UPROBES_TOP/qemu/complaints.awk" "$tmp" | paste -sd '|')" \
	'------------[ cut here ]------------|what is wrong|WARNING: CPU: 0|Call Trace:|---[ end trace 0000000000000000 ]---' \
	"a complaint is shown with all of its lines, and without other lines"

# stale FIRST RIP CODE: check whether stale.awk blames the emulator for a complaint with these lines.
stale() {
	printf '%s\r\n' "[    4.1] $1" "[    4.1] CPU: 1 PID: 213 Comm: sleep" "[    4.1] RIP: $2" \
		"[    4.1] Code: c0 e9 70 03 00 00 $3 44 00 00 48 8b 83" >"$tmp"
	awk -f "$UPROBES_TOP/qemu/complaints.awk" "$tmp" | awk -f "$UPROBES_TOP/qemu/stale.awk"
}
oops="Oops: int3: 0000 [#1] PREEMPT SMP NOPTI" rip="0010:__schedule+0x339/0xbf0"
check "a breakpoint that is not in memory is a fault of the emulator" stale "$oops" "$rip" "0f <1f>"
check_fails "a breakpoint that is in memory is not" stale "$oops" "$rip" "cc <1f>"
check_fails "another exception is not" stale "Oops: general protection fault: 0000 [#1] SMP" "$rip" "0f <1f>"
check_fails "a breakpoint after another complaint is not" stale "WARNING: CPU: 1 PID: 1 at some.c:1
[    4.1] $oops" "$rip" "0f <1f>"
