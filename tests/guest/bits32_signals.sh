#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: in a 32-bit program, too, signals count no hit twice, show no slot, and faults are where they were
# once: what decides here is the module, in the same way on all kernels
# timeout: 240
# needs: /usr/lib32/libc.so.6
# shellcheck disable=SC2034
name=signals32
[ -n "${FULL:-}" ] || ways=2
. "$UPROBES_TOP/tests/guest/signals.sh"
