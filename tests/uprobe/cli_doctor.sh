#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: doctor tries a probe, and says what is broken and how to mend it
# once: the helper is the same on all kernels
# last: its guest cannot be used any more afterwards
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
ktap_plan 19

doctor() {
	uprobe doctor "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# finds HOW TOPIC TEXT: check for a line of the report.
finds() {
	like "$(cat "$tmp/out" "$tmp/err")" "^$2 +$1 +.*$3" "${4:-doctor says: $1 $2}"
}

doctor
is "$status $(tail -n 1 "$tmp/out")" "0 Tracing works here." "where all is well, tracing works"
finds ok "a probe" "all of 400000 hits"
finds ok "hooks" "a forked child is probed"
finds ok "hooks" "a new mapping of the file is probed"
finds ok "module" "version [0-9.]+ is loaded"
finds ok "kernel" "Linux $(uname -r | sed 's/[+.]/[&]/g')"
finds ok "kernel" "tested with Linux $(uname -r | grep -oE '^[0-9]+\.[0-9]+')"
setarch --uname-2.6 "$UPROBES_TOP/userspace/uprobe" doctor >"$tmp/out" 2>&1
finds lacking "kernel" "not tested with this version; the nearest tested: 6\.1$" "doctor names the nearest tested kernel"
is "$(dmesg | grep -c 'uprobes: .*doctor')" 0 "the log has nothing about it"
echo 0 >/sys/module/uprobes/parameters/jump
doctor
is "$status" 0 "without jumps, tracing works"
finds lacking "a probe" "each hit traps: counting without traps is switched off"
echo 1 >/sys/module/uprobes/parameters/jump

echo 0 >/sys/kernel/debug/kprobes/enabled
doctor
is "$status" 5 "without kprobes, nothing can be traced"
finds BROKEN kprobes "echo 1 > /sys/kernel/debug/kprobes/enabled"
echo 1 >/sys/kernel/debug/kprobes/enabled

umount /sys/kernel/debug
doctor
is "$status $(grep -c '^control  *ok  */dev/uprobes$' "$tmp/out")" "0 1" "without debugfs, the devices are used"
mount -t debugfs none /sys/kernel/debug
rmmod uprobes_trace
doctor
is "$status" 5 "without the tracer's module, nothing can be traced"
finds BROKEN module "modprobe uprobes_trace"
rmmod uprobes
doctor
is "$status $(tail -n 1 "$tmp/out")" "5 Tracing does not work here." "without the module, nothing can be traced"
finds BROKEN module "neither loaded nor installed"
doctor more
is "$status" 2 "doctor takes no arguments"
