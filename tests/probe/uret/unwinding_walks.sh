#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a program that walks its stack with nongnu's libunwind sees all frames while returns are probed
# once: how unwinders are found does not depend on the kernel
# needs: /usr/lib/x86_64-linux-gnu/libunwind.so.8
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
ktap_plan 3

prog=$tmp/walks
cp "$UPROBES_TOP/build/progs/walks" "$prog"
plain=$("$prog")
like "$plain" '^([6-9]|[1-9][0-9]) frames$' "unprobed, it sees six frames of its own at least"
uprobe -c "$prog" "r:$prog:look" >"$tmp/out" 2>"$tmp/err"
is "$(grep ' frames$' "$tmp/out")" "$plain" "with its returns probed, it sees as many"
like "$(cat "$tmp/err")" '0 hits, 6 missed' "as with backtrace(), its calls on the way are missed"
