#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: statically defined probes are traced, with the arguments that the program gave
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 7

t=$tmp/cli_sdt
cp "$UPROBES_TOP/build/progs/cli_sdt" "$t"

uprobe -c "$t 4" "u:$t:corpus:request id=+0(arg1):s64 path=+0(+8(arg1)):string status=arg2 flag=arg3" \
	>"$tmp/out" 2>"$tmp/err"
diag "$(cat "$tmp/err")"
is "$(fields "$tmp/out" | sed 's/ (0x[0-9a-f]*)//')" \
	'corpus_request: id=4711 path="/index.html" status=-404 flag=0
corpus_request: id=4711 path="/index.html" status=-404 flag=1
corpus_request: id=4711 path="/index.html" status=-404 flag=0
corpus_request: id=4711 path="/index.html" status=-404 flag=1' "arguments by name, type and dereference"

uprobe -c "$t 4" "u:$t:flagged arg1:s64 where=arg2:string arg3" >"$tmp/out" 2>/dev/null
is "$(fields "$tmp/out" | sed 's/ (0x[0-9a-f]*)//' | sort | uniq -c | sed 's/^ *//')" \
	'2 flagged: arg1=4711 where="/index.html" arg3=7' "a string that an argument points to, a constant"

uprobe -c "$t 2" "u:$t:both" >"$tmp/out" 2>/dev/null
is "$(fields "$tmp/out" | sed 's/ (0x[0-9a-f]*)//')" 'both: arg1=1000 arg2=0 arg3=1
both: arg1=3000 arg2=0 arg3=2
both: arg1=1001 arg2=-1 arg3=1
both: arg1=3002 arg2=-1 arg3=2' "two sites are one event"

uprobe -c "$t 3" "u:$t:request status=arg2" 'status == -404 && COMM == "cli_sdt"' >"$tmp/out" 2>/dev/null
is "$(wc -l <"$tmp/out")" 3 "with a filter"

# Probes of programs that nobody here wrote: an exception in libstdc++.
uprobe -c "$UPROBES_TOP/build/progs/cli_throws 6" 'u:libstdc++.so.6:libstdcxx:throw' \
	'u:libstdc++.so.6:libstdcxx:catch' >"$tmp/out" 2>"$tmp/err"
diag "$(cat "$tmp/err")"
is "$(grep -c ' libstdcxx_throw: ' "$tmp/out") $(grep -c ' libstdcxx_catch: ' "$tmp/out")" "3 3" \
	"libstdc++'s probes of exceptions"

"$t" 1
like "$(uprobe sdt "$t")" '^corpus:both \(2 sites\) arg1=' "the list shows sites and arguments"
uprobe "u:$t:nothing" 2>"$tmp/err"
is "$?" 3 "a probe that is not there"
