#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: count and lat sum up the calls and the time of each function in the kernel
# once: the helper is the same on all kernels
# timeout: 240
# needs: perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan $((FULL ? 35 : 32))

prog=$tmp/cli_vars
cp "$UPROBES_TOP/build/progs/cli_vars" "$prog"

# measured ARGUMENT...: run the helper; results are in $tmp/out, messages in $tmp/err.
measured() {
	uprobe "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# table: print the results as "COUNT FUNCTION".
table() { awk 'NR > 1 { print $1, $2 }' "$tmp/out"; }

measured count -c "$prog >/dev/null" "p:$prog:slow" "p:$prog:main"
is "$status $(table | tr '\n' ' ')" "0 3 slow 1 main " "count: the calls of two functions are counted"
measured count -c "$prog >/dev/null" "$prog:twice"
is "$(table)" "6 twice" "count: calls of inlined copies are added up"
measured count -c "$prog >/dev/null" "r:$prog:fast"
is "$(table)" "3 fast" "count: returns are counted"
measured count -c "$prog >/dev/null" "p:$prog:*o*"
is "$(table | grep -v '^1 _' | tr '\n' ' ')" "3 other 3 slow " \
	"count: calls of all functions that match a pattern are counted"
measured count -v -c "$prog >/dev/null; sleep 1" "p:$prog:slow" "p:libc:clock_nanosleep"
like "$(cat "$tmp/err")" '0 of [1-9] places counted without a trap' "count -v: a message tells how hits are found"
like "$(cat "$tmp/err")" '[0-9]+ traps?: (counting without traps is switched off|it has not been hit often enough)' "count -v: and why they trap"
measured count --json -c "$prog >/dev/null" "p:$prog:slow"
is "$(cat "$tmp/out")" '{"function":"slow","hits":3,"missed":0}' "count --json: the counts are JSON"
measured count --top 1 -c "$prog >/dev/null" "p:$prog:slow" "p:$prog:main" "p:$prog:other" "p:$prog:fast"
is "$(table)" "3 fast" "--top: only the functions with the most calls are shown"
like "$(cat "$tmp/err")" '3 more functions were called' "--top: a message tells how many functions are not shown"
measured count --json -c 'ls -l / >/dev/null' 'p:libc:[a-m]*'
is "$(($(wc -l <"$tmp/out") > 20)) $(grep -c 'more functions' "$tmp/err")" "1 0" "count --json: all functions are shown"
measured count --json --top 1 -c "$prog >/dev/null" "p:$prog:slow" "p:$prog:main"
is "$(wc -l <"$tmp/out") $(grep -c '1 more functions were called' "$tmp/err")" "1 1" "count --json --top: a message tells of others"

if [ -n "${FULL:-}" ]; then
	# Count a whole library, and compare three functions with the events that the tracer shows.
	measured count --top 100000 -c 'ls / >/dev/null' 'p:libc:*'
	whole=$(awk '$2 == "fgets_unlocked" || $2 == "malloc" || $2 == "strcoll" { print $2, $1 }' "$tmp/out" | sort)
	like "$(cat "$tmp/err")" 'Counting [0-9]{4} functions' "count: thousands of functions of a library are counted"
	uprobe -c 'ls / >/dev/null' p:libc:fgets_unlocked p:libc:malloc p:libc:strcoll >"$tmp/events" 2>/dev/null
	is "$whole" "$(fields "$tmp/events" | cut -d: -f1 | sort | uniq -c | awk '{ print $2, $1 }')" \
		"count: three functions have as many calls as events"
	like "$(cat "$tmp/err")" 'leaves out: [0-9]+ IFUNC resolvers' "count: a message tells which functions are left out"
fi

# Only one of two processes is counted.
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
is "$(table)" "1000 getppid" "-p: calls of one process of two are counted"
kill $one $two
wait $one $two 2>/dev/null
measured count --comm perl -c 'perl -e "getppid for 1 .. 100"; perl -e "getppid for 1 .. 10"' p:libc:getppid
is "$(table)" "110 getppid" "-c: calls of all processes that the command starts are counted"
measured count --comm nothing -c 'perl -e getppid' p:libc:getppid
is "$(table)" "0 getppid" "--comm: calls of tasks with another name are not counted"
measured count --comm perl -c 'perl -e getppid' p:libc:getppid
is "$(table)" "1 getppid" "--comm: calls of tasks with this name are counted"
measured count --uid 12345 -c 'perl -e getppid' p:libc:getppid
is "$(table)" "0 getppid" "--uid: calls of other users are not counted"

# Latency: at least the time that the program sleeps.
measured lat -c 'perl -e "select undef, undef, undef, 0.02 for 1 .. 5"' libc:select
like "$(head -1 "$tmp/out")" '^select: 5 calls, (([2-9][0-9][.][0-9]|[1-9][0-9]{2})ms|[0-9.]+s) on average' \
	"lat: the average is at least the time that the calls sleep"
# The bounds of each bucket are rounded, and so is the longest time.
is "$(awk 'function ns(time) { return time * (time ~ /[0-9]s$/ ? 1e9 : time ~ /ms$/ ? 1e6 : time ~ /us$/ ? 1e3 : 1) }
	/ at most$/ { longest = ns($(NF - 2)) }
	/\|/ { if (ns($3) > 20e6) n += $4; from = ns($1); to = ns($3) }
	END { print n, from <= longest * 1.01 && longest <= to * 1.01 }' "$tmp/out")" "5 1" \
	"lat: the histogram has each call, and the longest in its last bucket"
measured lat --json -c 'perl -e "select undef, undef, undef, 0.02 for 1 .. 5"' libc:select
like "$(cat "$tmp/out")" '"hits":5,.*"total_ns":[0-9]{9,},"max_ns":[0-9]{8,},"p50_ns":.*"buckets":\{"' \
	"lat --json: the times are nanoseconds"
is "$(tr -s '{,:}' ' ' <"$tmp/out" | awk '{ for (i = 1; i <= NF; i++) value[$i] = $(i + 1) }
	END {
		half = value["\"p50_ns\""]
		most = value["\"p99_ns\""]
		longest = value["\"max_ns\""]
		print (half >= 20e6 * 15 / 16), (half <= most), (most <= longest), (most >= longest * 15 / 16)
	}')" "1 1 1 1" "lat --json: half of the calls, and most, took about so long"
total=$(grep -o '"total_ns":[0-9]*' "$tmp/out" | cut -d: -f2)
is "$(sed 's/.*"buckets":{//; s/[}"]//g' "$tmp/out" | tr ',' '\n' | awk -F: -v total="$total" '
	{ n += $2; least += $1 * $2 }
	END { print n, (least <= total), (total <= 9 / 8 * least) }')" "5 1 1" "lat --json: the buckets have all of the time"
measured lat -c 'perl -e "select undef, undef, undef, 0.02 for 1 .. 5"' 'libc:s[ei]*'
like "$(table | head -3)" '5 ' "lat: many functions are shown as a table"
like "$(cat "$tmp/err")" 'leaves out: .*[0-9]+ that use their own return address' \
	"lat: functions like setjmp() are left out"
is "$(awk '$7 == "select" { print $1 }' "$tmp/out")" 5 "lat: the table has the calls of each function"
start count -i 0.2 p:libc:getppid
tables() { [ "$(grep -c COUNT "$tmp/out")" -ge 3 ]; }
check "-i: the table is printed repeatedly" in_time tables
stop

# Probes that lat refuses.
for spec in "$prog:nothing*" "p:$prog:slow %di" "u:libc:setjmp"; do
	measured lat "$spec"
	isnt "$status" 0 "lat $spec: an error is reported"
done
like "$(cat "$tmp/err")" 'takes no time' "lat: the error of a static probe has its reason"

# A helper that is killed leaves nothing behind.
which='str*'
[ -z "${FULL:-}" ] || which='*'
start count "p:libc:$which"
grep -qF '[uprobes]' /proc/$$/maps
probed=$?
is "$(uprobe offset -p $$ nothing x 2>&1 | grep -oE 'libc\.so|\[uprobes' | sort -u)" libc.so \
	"a list of what a process has mapped is without the module's mappings"
kill -9 $tracer
wait $tracer 2>/dev/null
is "$probed $(wc -l <$dir/uprobe_events)" "0 0" "kill -9: the probed shell keeps running, and no event is left"
check "kill -9: the module unloads" rmmod uprobes_trace uprobes
