#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a filter decides to which processes a probe on a file attaches
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 4

offset=0x$(nm "$progs/steps" | awk '$3 == "work" { print $1 }')
steps
set_probe 0 path="$progs/steps" offset="$offset" only="$pid"
set_probe 1 path="$progs/steps" offset="$offset" only=1
run register 0-1
printf 'call 10\n' | "$progs/steps" >"$tmp/other"
is "$(tail -n 1 "$tmp/other")" "call 3145" "a process that the filter excludes has the right result"
is "$(hits 0)" 0 "a process that the filter excludes is not probed"
step call 10 >/dev/null
is "$(hits 0)" 10 "the process that the filter selects is probed"
is "$(hits 1)" 0 "a probe whose filter excludes both processes has no hits"
run unregister 0-1
end_steps
