#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: lat has percentiles, a heat map, and a picture; tables of -i have the time; lines have colours and other times
# once: the helper is the same on all kernels
# cpus: 2 with FULL=1
# needs: python3 script
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
ktap_plan 17

prog=$tmp/flow
cp "$UPROBES_TOP/build/progs/flow" "$prog"
twice="$prog; sleep 0.6; $prog"
# It sleeps for 100 ms, or longer on a busy machine. The middle of that bucket is 96.5 ms.
longer='([1-9][0-9]{2}ms|[1-9](\.[0-9]+)?s)'
time="(9[4-9]\.[0-9]ms|$longer)"

uprobe lat -c "$twice" "$prog:fl_slow" >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out")" '^fl_slow: 2 calls, .* 50% ~ '"$time"', 90% ~ '"$time"', 99% ~ '"$time, $longer"' at most$' "lat prints percentiles"
uprobe lat --heat -i 0.2 -c "$twice" "$prog:fl_slow" >"$tmp/out" 2>"$tmp/err"
like "$(head -n 1 "$tmp/out")" '^ +32ns +1.02us .*CALLS +50% ~ +99% ~$' "the heat map has a scale"
is "$(grep -c '^[0-9][0-9]:[0-9][0-9]:[0-9][0-9] |' "$tmp/out")" "$(($(wc -l <"$tmp/out") - 1))" "each line has the time"
is "$(awk -F'|' 'NR > 1 { split($3, f, " "); n += f[1] } END { print n }' "$tmp/out")" 2 "all calls are in it"
is "$(grep -c '@@' "$tmp/out")" "$(awk -F'|' 'NR > 1 { split($3, f, " "); n += f[1] > 0 } END { print n }' "$tmp/out")" \
	"each interval with calls has a darkest place"
# 2^26 nanoseconds is column 21, of two characters, behind the bar; a busy machine may sleep longer.
like "$(grep '@@' "$tmp/out" | awk -F'|' '{ print index($2, "@@") }' | sort -n | head -n 1)" '^(4[3579]|5[135])$' "it is in the column of their time"

uprobe lat -o "$tmp/x.svg" -i 0.2 -c "$twice" "$prog:fl_slow" "$prog:fl_leaf" >"$tmp/out" 2>"$tmp/err"
is "$? $(cat "$tmp/out")" "0 " "a picture is written, and nothing else"
is "$(python3 -c '
import sys, xml.etree.ElementTree as tree
ns = "{http://www.w3.org/2000/svg}"
svg = tree.parse(sys.argv[1]).getroot()
cells = [int(r.find(ns + "title").text.split()[0]) for r in svg.iter(ns + "rect")]
names = [t.text for t in svg.iter(ns + "text") if t.text]
print(sum(cells), [n for n in names if n.startswith("fl_")], len({r.get("x") for r in svg.iter(ns + "rect")}) >= 2)' "$tmp/x.svg")" \
	"12 ['fl_leaf', 'fl_slow'] True" "it has all calls, and both functions"

uprobe count -i 0.3 -c "$prog; sleep 0.4" "$prog:fl_leaf" >"$tmp/out" 2>"$tmp/err"
like "$(head -n 1 "$tmp/out")" '^[0-9]{2}:[0-9]{2}:[0-9]{2}$' "a table of -i begins with the time"

uprobe --time=relative -c "$prog" "p:$prog:fl_leaf" >"$tmp/out" 2>"$tmp/err"
like "$(head -n 1 "$tmp/out")" ' 0\.000000: fl_leaf:' "--time=relative begins with 0"
like "$(tail -n 1 "$tmp/out")" ' [0-9]+\.[0-9]*[1-9][0-9]*: fl_leaf:' "later events are later"
TZ=UTC uprobe --time=clock -c "$prog" "p:$prog:fl_leaf" >"$tmp/out" 2>"$tmp/err"
is "$(awk -v now="$(date +%s)" '{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+:[0-9]+:[0-9.]+:$/) { split($i, t, ":")
	n++; ago = (now - (t[1] * 3600 + t[2] * 60 + t[3]) + 3 + 86400 * 10) % 86400; near += ago < 120 } } END { print n, near }' \
	"$tmp/out")" "5 5" "--time=clock is the time of the day"
is "$(grep -c $'\033' "$tmp/out")" 0 "in a file, there are no colours"
uprobe --color=always -c "$prog" "p:$prog:fl_leaf" >"$tmp/out" 2>"$tmp/err"
is "$(grep -c $'\033\[1;36mfl_leaf\033\[0m' "$tmp/out")" 5 "--color=always colours the names of events"
script -qec "uprobe -c $prog p:$prog:fl_leaf" /dev/null >"$tmp/out"
is "$(grep -c $'\033\[1;36mfl_leaf' "$tmp/out")" 5 "so it is on a terminal"
NO_COLOR=1 script -qec "uprobe -c $prog p:$prog:fl_leaf" /dev/null >"$tmp/out"
is "$(grep -c 'fl_leaf:' "$tmp/out") $(grep -c $'\033' "$tmp/out")" "5 0" "NO_COLOR switches that off"
uprobe --time=never p:libc:malloc 2>"$tmp/err"
is "$?" 2 "another --time is refused"
