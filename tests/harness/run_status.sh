#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: qemu/run ends with the status of its command, on each kernel
# full: it boots guests, and tests the harness only
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
# shellcheck disable=SC2086
set -- $UPROBES_KERNELS
ktap_plan $(($# + 4))

said=$(mktemp)
at_exit "rm -f $said"
run() {
	"$UPROBES_TOP/qemu/run" --no-module "$@" </dev/null >/dev/null 2>"$said"
	echo $?
}

for kernel; do
	is "$(run -k "$kernel" -- sh -c 'exit 7')" 7 "$kernel: after exit 7 the status is 7"
done
# shellcheck disable=SC2016
is "$(run -k "$1" -- sh -c 'kill -9 $$')" 137 "if signal 9 kills the command, the status is 137"
is "$(run -k "$1" -- no-such-program)" 127 "if the program does not exist, the status is 127"
diag "$(cat "$said")"
is "$(run -k "$1" --no-such-option true)" 2 "after a wrong option the status is 2"
is "$(run -k no-such-kernel true)" 125 "if the kernel is unknown, the status is 125"
