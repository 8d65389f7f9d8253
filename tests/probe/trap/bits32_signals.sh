#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: in a 32-bit program, a signal does not count a hit twice or show a slot, and faults keep their address
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 240
# needs: /usr/lib32/libc.so.6
# shellcheck disable=SC2034
name=signals32
[ -n "${FULL:-}" ] || ways=2
. "$UPROBES_TOP/tests/probe/trap/signals.sh"
