#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: qemu/run ends with 70 and shows the complaint of the guest's kernel
# full: it boots guests, and tests the harness only
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
# shellcheck disable=SC2086
set -- $UPROBES_KERNELS
ktap_plan $(($# * 2 + 6))

run() {
	output=$("$UPROBES_TOP/qemu/run" --no-module "$@" </dev/null 2>&1)
}

for kernel; do
	run -k "$kernel" -- sh -c 'echo c >/proc/sysrq-trigger; sleep 60'
	is $? 70 "$kernel: after a panic the status is 70"
	like "$output" '^Kernel panic - not syncing: sysrq' "$kernel: the panic's message is shown"
done
run -k "$1" -- sh -c 'echo "WARNING: CPU: 0 PID: 1 at some.c:1" >/dev/kmsg; echo done; exit 7'
is $? 70 "after a warning the status is 70, though the command goes on"
like "$output" '^WARNING: CPU: 0 PID: 1 at some.c:1' "the warning is shown"
like "$output" '^done$' "the output of the command is shown"
run -k "$1" -- sh -c 'echo o >/proc/sysrq-trigger; sleep 60'
is $? 70 "if the guest powers off before the command ends, the status is 70"
# Under KVM, QEMU does not report a triple fault.
export UPROBES_ACCEL=tcg
run -k "$1" --append reboot=triple -- sh -c 'echo b >/proc/sysrq-trigger; sleep 60'
is $? 70 "if a triple fault ends the guest, the status is 70"
like "$output" '^Triple fault' "the triple fault, which only QEMU logs, is shown"
