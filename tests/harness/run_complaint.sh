#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: qemu/run ends with 70 and shows what the guest's kernel complained of
# full: it boots guests for the harness alone
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
	is $? 70 "$kernel: a panic"
	like "$output" '^Kernel panic - not syncing: sysrq' "$kernel: its message"
done
run -k "$1" -- sh -c 'echo "WARNING: CPU: 0 PID: 1 at some.c:1" >/dev/kmsg; echo done; exit 7'
is $? 70 "a warning, though the command goes on"
like "$output" '^WARNING: CPU: 0 PID: 1 at some.c:1' "its text"
like "$output" '^done$' "the command's output"
run -k "$1" -- sh -c 'echo o >/proc/sysrq-trigger; sleep 60'
is $? 70 "a guest that goes away before its command ends"
# KVM tells it nowhere.
export UPROBES_ACCEL=tcg
run -k "$1" --append reboot=triple -- sh -c 'echo b >/proc/sysrq-trigger; sleep 60'
is $? 70 "a guest that ends in a triple fault"
like "$output" '^Triple fault' "which only QEMU tells"
