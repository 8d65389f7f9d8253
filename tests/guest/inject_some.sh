#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each call that can fail in registering and in a fork does, once, as inject_api and inject_events have it of all
# once: the code that fails is the same on all kernels
# timeout: 200
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/inject.inc"
. "$UPROBES_TOP/tests/guest/inject_client.inc"
. "$UPROBES_TOP/tests/guest/inject_events.inc"

ktap_plan 3
try "a probe on a process" 0 $in_process
each_fork
