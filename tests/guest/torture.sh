#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: twelve seconds of torture, or with FULL=1 a minute: programs that do all that is hard, while probes of all kinds come and go, and the module
# once: its races are the module's own
# cpus: 2
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 1

seed=${SEED:-1} seconds=12
[ -z "${FULL:-}" ] || seconds=60
"$UPROBES_TOP/tests/torture/guest" "${TORTURE_SECONDS:-$seconds}" "$seed"
is $? 0 "nothing is wrong, with SEED=$seed"
