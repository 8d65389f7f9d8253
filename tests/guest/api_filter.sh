#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a filter decides which processes a probe on a file reaches
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 4

offset=0x$(nm "$progs/steps" | awk '$3 == "work" { print $1 }')
steps
set_probe 0 path="$progs/steps" offset="$offset" only="$pid"
set_probe 1 path="$progs/steps" offset="$offset" only=1
run register 0-1
printf 'call 10\n' | "$progs/steps" >"$tmp/other"
is "$(tail -n 1 "$tmp/other")" "call 3145" "a process that the filter does not want runs"
is "$(hits 0)" 0 "and is not probed"
step call 10 >/dev/null
is "$(hits 0)" 10 "the one that it wants is"
is "$(hits 1)" 0 "by those that want it"
run unregister 0-1
end_steps
