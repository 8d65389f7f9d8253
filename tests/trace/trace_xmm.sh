#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each SSE register is fetched under its own name
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

prog=$tmp/xmm
cp "$UPROBES_TOP/build/progs/xmm" "$prog"

ktap_plan 2
clear
line="p:all $(where all_set)"
for i in {0..15}; do
	line+=" x$i=%xmm$i:f64"
done
check "a definition with sixteen SSE registers is accepted" define "$line"
enable
"$prog" >"$tmp/set"
is "$(lines | fields | sed 's/^[^)]*) //')" "$(cat "$tmp/set")" "each register has the value that the program has set"
clear
