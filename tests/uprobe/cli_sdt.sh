#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper can trace statically defined probes, with the arguments that the program passes
# once: the helper is the same on all kernels
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 18

t=$tmp/cli_sdt
cp "$UPROBES_TOP/build/progs/cli_sdt" "$t"

uprobe -c "$t 4" "u:$t:corpus:request id=+0(arg1):s64 path=+0(+8(arg1)):string status=arg2 flag=arg3" \
	>"$tmp/out" 2>"$tmp/err"
diag "$(cat "$tmp/err")"
is "$(fields "$tmp/out")" \
	'corpus_request: id=4711 path="/index.html" status=-404 flag=0
corpus_request: id=4711 path="/index.html" status=-404 flag=1
corpus_request: id=4711 path="/index.html" status=-404 flag=0
corpus_request: id=4711 path="/index.html" status=-404 flag=1' "arguments have names and types, and can be dereferenced"

uprobe -c "$t 4" "u:$t:flagged arg1:s64 where=arg2:string arg3" >"$tmp/out" 2>/dev/null
is "$(fields "$tmp/out" | sort | uniq -c | sed 's/^ *//')" \
	'2 flagged: arg1=4711 where="/index.html" arg3=7' "an argument can be a string pointer or a constant"

uprobe -c "$t 2" "u:$t:both" >"$tmp/out" 2>/dev/null
is "$(fields "$tmp/out")" 'both: arg1=1000 arg2=0 arg3=1
both: arg1=3000 arg2=0 arg3=2
both: arg1=1001 arg2=-1 arg3=1
both: arg1=3002 arg2=-1 arg3=2' "a probe at two places is one event"

uprobe count -c "$t 2" "u:$t:both" >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out" "$tmp/err")" "4 hits, 0 missed" "a probe with three arguments is counted"

uprobe -c "$t 3" "u:$t:served" >"$tmp/out" 2>"$tmp/err"
is "$(fields "$tmp/out" | xargs)" 'served: arg1=1 served: arg1=2 served: arg1=3' \
	"an argument can be a variable in .bss" || diag "$(cat "$tmp/err")"

sites=$UPROBES_TOP/build/progs/sdt_sites
uprobe -c "$sites >$tmp/said" "u:$sites:site" >"$tmp/out" 2>"$tmp/err"
is "$(fields "$tmp/out" | diff "$tmp/said" - | head -n 5; wc -l <"$tmp/out")" 400 \
	"a probe at 400 places is one event, with the operands of each place"

uprobe -c "$t 3" "u:$t:request status=arg2" 'status == -404 && COMM == "cli_sdt"' >"$tmp/out" 2>/dev/null
is "$(wc -l <"$tmp/out")" 3 "a filter works"

# Probes in a file that does not belong to this project: exceptions in libstdc++.
uprobe -c "$UPROBES_TOP/build/progs/cli_throws 6" 'u:libstdc++.so.6:libstdcxx:throw' \
	'u:libstdc++.so.6:libstdcxx:catch' >"$tmp/out" 2>"$tmp/err"
diag "$(cat "$tmp/err")"
is "$(grep -c ' libstdcxx_throw:' "$tmp/out") $(grep -c ' libstdcxx_catch:' "$tmp/out")" "3 3" \
	"libstdc++'s probes of exceptions are traced"

"$t" 1
like "$(uprobe sdt "$t")" '^corpus:both \(2 sites\) arg1=' "the list shows the number of places and the arguments"
uprobe "u:$t:nothing" 2>"$tmp/err"
is "$?" 3 "an unknown probe is refused"

# The reference counter is above 0 while a helper traces, both in processes that exist already and in
# later ones.
counter() {
	mkfifo "$tmp/in$1"
	: >"$tmp/count$1"
	"$t" counter <"$tmp/in$1" >"$tmp/count$1" &
	eval "exec $1>$tmp/in$1"
}
value() {
	local before
	before=$(wc -l <"$tmp/count$1")
	echo line >&"$1"
	wait_until "the program has printed its counter" lines_in "$tmp/count$1" $((before + 1))
	tail -n 1 "$tmp/count$1"
}
counter 7
is "$(value 7)" 0 "without a helper, the counter is 0"
start "u:$t:counted arg1:string"
counter 8
is "$(value 7) $(value 8)" "1 1" "with one helper, the counter is 1 in an existing process and in a new one"
first=$tracer
mv "$tmp/out" "$tmp/first"
start "u:$t:counted"
is "$(value 7)" 2 "with two helpers, the counter is 2"
second=$tracer
tracer=$first
stop
is "$(value 7) $(value 8)" "1 1" "when one of them has ended, the counter is 1"
is "$(grep -c ' counted:' "$tmp/first")" 3 "this helper has shown each hit"
kill -9 "$second"
wait "$second" 2>/dev/null
is "$(value 7) $(value 8)" "0 0" "when the other one was killed, the counter is 0"
start count "u:$t:counted"
value 7 >"$tmp/counting"
stop
is "$(cat "$tmp/counting") $(awk 'NR == 2 { print $1 }' "$tmp/out")" "1 1" \
	"while uprobe count runs, the counter is 1 and the hit is counted"
is "$(value 7) $(value 8)" "0 0" "after uprobe count, the counter is 0"
