#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: qemu/run ends with the status of its command, on each kernel
# full: it boots guests for the harness alone
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
# shellcheck disable=SC2086
set -- $UPROBES_KERNELS
ktap_plan $(($# + 4))

run() {
	"$UPROBES_TOP/qemu/run" --no-module "$@" </dev/null >/dev/null 2>&1
	echo $?
}

for kernel; do
	is "$(run -k "$kernel" -- sh -c 'exit 7')" 7 "$kernel: exit 7"
done
# shellcheck disable=SC2016
is "$(run -k "$1" -- sh -c 'kill -9 $$')" 137 "killed by signal 9"
is "$(run -k "$1" -- no-such-program)" 127 "a program that is not there"
is "$(run -k "$1" --no-such-option true)" 2 "a wrong option"
is "$(run -k no-such-kernel true)" 125 "a wrong kernel"
