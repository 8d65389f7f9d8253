#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a minute of torture: programs that do all that is hard, while probes of all kinds come and go, and the module
# cpus: 2
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 1

seed=${SEED:-1}
"$UPROBES_TOP/tests/torture/guest" "${TORTURE_SECONDS:-60}" "$seed"
is $? 0 "nothing is wrong, with SEED=$seed"
