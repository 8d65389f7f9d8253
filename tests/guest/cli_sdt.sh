#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: statically defined probes are traced, with the arguments that the program gave
# once: the helper is the same on all kernels
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 17

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

uprobe -c "$t 3" "u:$t:served" >"$tmp/out" 2>"$tmp/err"
is "$(fields "$tmp/out" | sed 's/ (0x[0-9a-f]*)//' | xargs)" 'served: arg1=1 served: arg1=2 served: arg1=3' \
	"a variable in .bss" || diag "$(cat "$tmp/err")"

sites=$UPROBES_TOP/build/progs/sdt_sites
uprobe -c "$sites >$tmp/said" "u:$sites:site" >"$tmp/out" 2>"$tmp/err"
is "$(fields "$tmp/out" | sed 's/ (0x[0-9a-f]*)//' | diff "$tmp/said" - | head -n 5; wc -l <"$tmp/out")" 400 \
	"four hundred sites are one event, each with operands of its own"

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

# A counter of tracers: on as long as somebody traces, in processes that were
# there before and in those that come later.
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
	wait_until "the program has told its counter" lines_in "$tmp/count$1" $((before + 1))
	tail -n 1 "$tmp/count$1"
}
counter 7
is "$(value 7)" 0 "nobody traces"
start "u:$t:counted arg1:string"
counter 8
is "$(value 7) $(value 8)" "1 1" "a tracer: in a process that was there, and in a new one"
first=$tracer
mv "$tmp/out" "$tmp/first"
start "u:$t:counted"
is "$(value 7)" 2 "two tracers"
second=$tracer
tracer=$first
stop
is "$(value 7) $(value 8)" "1 1" "one of them ends"
is "$(grep -c ' counted: ' "$tmp/first")" 3 "it has seen the probe each time"
kill -9 "$second"
wait "$second" 2>/dev/null
is "$(value 7) $(value 8)" "0 0" "the other one is killed"
start count "u:$t:counted"
value 7 >"$tmp/counting"
stop
is "$(cat "$tmp/counting") $(awk 'NR == 2 { print $1 }' "$tmp/out")" "1 1" "counting counts, too"
is "$(value 7) $(value 8)" "0 0" "and ends"
