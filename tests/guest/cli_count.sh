#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: count and lat add up in the kernel what each function was called
# once: the helper is the same on all kernels
# timeout: 240
# needs: perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 28

prog=$tmp/cli_vars
cp "$UPROBES_TOP/build/progs/cli_vars" "$prog"

# measured ARGUMENT...: results in $tmp/out, remarks in $tmp/err.
measured() {
	uprobe "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# table: results as "COUNT FUNCTION".
table() { awk 'NR > 1 { print $1, $2 }' "$tmp/out"; }

measured count -c "$prog >/dev/null" "p:$prog:slow" "p:$prog:main"
is "$status $(table | tr '\n' ' ')" "0 3 slow 1 main " "calls of two functions"
measured count -c "$prog >/dev/null" "$prog:twice"
is "$(table)" "6 twice" "inlined copies count together"
measured count -c "$prog >/dev/null" "r:$prog:fast"
is "$(table)" "3 fast" "returns"
measured count -c "$prog >/dev/null" "p:$prog:*o*"
is "$(table | grep -v '^1 _' | tr '\n' ' ')" "3 other 3 slow " "a pattern"
measured count --json -c "$prog >/dev/null" "p:$prog:slow"
is "$(cat "$tmp/out")" '{"function":"slow","hits":3,"missed":0}' "--json"
measured count --top 1 -c "$prog >/dev/null" "p:$prog:slow" "p:$prog:main" "p:$prog:other" "p:$prog:fast"
is "$(table)" "3 fast" "--top: the most called ones"
like "$(cat "$tmp/err")" '3 more functions were called' "and it is said that there are more"

# A whole library at once, and what the tracer itself would have shown.
measured count --top 100000 -c 'ls / >/dev/null' 'p:libc:*'
whole=$(awk '$2 == "fgets_unlocked" || $2 == "malloc" || $2 == "strcoll" { print $2, $1 }' "$tmp/out" | sort)
like "$(cat "$tmp/err")" 'Counting [0-9]{4} functions' "a whole library"
uprobe -c 'ls / >/dev/null' p:libc:fgets_unlocked p:libc:malloc p:libc:strcoll >"$tmp/events" 2>/dev/null
is "$whole" "$(fields "$tmp/events" | cut -d: -f1 | sort | uniq -c | awk '{ print $2, $1 }')" \
	"each function as often as line by line"
like "$(cat "$tmp/err")" 'leaves out: [0-9]+ IFUNC resolvers' "what is left out is said"

# Whose calls: of two processes at a time.
mkdir "$tmp/waits" "$tmp/done"
calls() {
	exec perl -e 'mkdir "waits/$$"; select undef, undef, undef, 0.05 until -e "go"; getppid for 1 .. 1000; mkdir "done/$$"; sleep 1000'
}
both() { [ "$(ls "$tmp/$1" | wc -l)" = 2 ]; }
cd "$tmp" || exit
calls &
one=$!
calls &
two=$!
wait_until "both processes wait" both waits
start count -p $one p:libc:getppid
: >"$tmp/go"
wait_until "both have made their calls" both "done"
stop
is "$(table)" "1000 getppid" "-p: one process of two"
kill $one $two
wait $one $two 2>/dev/null
measured count --comm perl -c 'perl -e "getppid for 1 .. 100"; perl -e "getppid for 1 .. 10"' p:libc:getppid
is "$(table)" "110 getppid" "-c: all that the command starts"
measured count --comm nothing -c 'perl -e getppid' p:libc:getppid
is "$(table)" "0 getppid" "--comm: tasks of another name do not count"
measured count --comm perl -c 'perl -e getppid' p:libc:getppid
is "$(table)" "1 getppid" "those of that name do"
measured count --uid 12345 -c 'perl -e getppid' p:libc:getppid
is "$(table)" "0 getppid" "--uid: other users do not count"

# Time: at least what the program sleeps.
measured lat -c 'perl -e "select undef, undef, undef, 0.02 for 1 .. 5"' libc:select
like "$(head -1 "$tmp/out")" '^select: 5 calls, (([2-9][0-9][.][0-9]|[1-9][0-9]{2})ms|[0-9.]+s) on average' "lat: calls that sleep take their time"
# Each bound is rounded, and so is the longest.
is "$(awk 'function ns(time) { return time * (time ~ /[0-9]s$/ ? 1e9 : time ~ /ms$/ ? 1e6 : time ~ /us$/ ? 1e3 : 1) }
	/ at most$/ { longest = ns($(NF - 2)) }
	/\|/ { if (ns($3) > 20e6) n += $4; from = ns($1); to = ns($3) }
	END { print n, from <= longest * 1.01 && longest <= to * 1.01 }' "$tmp/out")" "5 1" "and are drawn there, the longest last"
measured lat --json -c 'perl -e "select undef, undef, undef, 0.02 for 1 .. 5"' libc:select
like "$(cat "$tmp/out")" '"hits":5,.*"total_ns":[0-9]{9,},"max_ns":[0-9]{8,},"buckets":\{"' "--json: nanoseconds"
measured lat -c 'perl -e "select undef, undef, undef, 0.02 for 1 .. 5"' 'libc:s[ei]*'
like "$(table | head -3)" '5 ' "a table for many functions"
like "$(cat "$tmp/err")" 'leaves out: .*[0-9]+ that use their own return address' "but for setjmp() and its like"
is "$(awk '$7 == "select" { print $1 }' "$tmp/out")" 5 "with each of them"
start count -i 0.2 p:libc:getppid
tables() { [ "$(grep -c COUNT "$tmp/out")" -ge 3 ]; }
check "-i: again and again" in_time tables
stop

# What does not go.
for spec in "$prog:nothing*" "p:$prog:slow %di" "u:libc:setjmp"; do
	measured lat "$spec"
	isnt "$status" 0 "lat $spec: an error"
done
like "$(cat "$tmp/err")" 'takes no time' "with its reason"

# Killed in the middle, nothing is left.
start count 'p:libc:*'
grep -qF '[uprobes]' /proc/$$/maps
probed=$?
kill -9 $tracer
wait $tracer 2>/dev/null
is "$probed $(wc -l <$dir/uprobe_events)" "0 0" "kill -9: the shell was probed, and no event is left"
check "the module can go" rmmod uprobes
