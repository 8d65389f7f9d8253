#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a kernel call fails in a fork, an exec or a mapping, the program runs on and the log reports what is missed
# once: the code that fails is the same on all kernels
# timeout: 400
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/inject.inc"
. "$UPROBES_TOP/tests/shared/inject_client.inc"
. "$UPROBES_TOP/tests/shared/inject_events.inc"

ktap_plan 7

each_fork
each_load
each_exec
listed_failed
