#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: threads execute a probed place while the program rewrites its instruction again and again
# full: what it may find is rare
# once: the module decides this, and it is the same on all kernels
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 6

cp "$progs/rewritten" "$tmp/rewritten"
like "$("$tmp/rewritten" 500)" "^0 wrong" "unprobed, each call has the result of its time"
set_probe 0 path="$tmp/rewritten" offset=0x"$(symbol "$tmp/rewritten" amount)" flags=1
run register 0
"$tmp/rewritten" 500 >"$out"
is "$?" 0 "probed, the program ends with status 0"
diag "$(cat "$out"); hits and misses: $(all_hits)"
like "$(cat "$out")" "^0 wrong" "each call has the result of its time"
calls=$(awk '{ print $3 }' "$out")
is "$(all_hits | awk '{ print $1 + $2 }')" "$calls" "each call is a hit or is missed"
run unregister 0
like "$("$tmp/rewritten" 100)" "^0 wrong" "without the probe, they have, too"
check "the kernel has not complained" sh -c '! dmesg | grep -E "WARNING|BUG:"'
