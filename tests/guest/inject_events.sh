#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each call that can fail in fork, exec and mapping a probed file does, once: the program runs on, and what is missed is told
# once: the code that fails is the same on all kernels
# timeout: 400
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/inject.inc"
. "$UPROBES_TOP/tests/guest/inject_client.inc"
. "$UPROBES_TOP/tests/guest/inject_events.inc"

ktap_plan 7

each_fork
each_load
each_exec
listed_failed
