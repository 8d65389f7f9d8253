#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: hist draws the values of arguments and of returned values
# full: value_counts and trace_values try the two halves of it; it starts the helper 16 times
# once: the helper is the same on all kernels
# timeout: 120
# needs: python3
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
ktap_plan 30

prog=$tmp/valued
cp "$UPROBES_TOP/build/progs/valued" "$prog"

# hist ARGUMENT...: run the helper; results are in $tmp/out, messages in $tmp/err.
hist() {
	uprobe hist "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

hist -c "$prog 1000 1 3 100 101 5000" "$prog:value" number=%di:s64
is "$status $(head -n 1 "$tmp/out")" "0 value, number: 4000 hits, 1301 on average, 50% ~ 99, 90% ~ 4863, 99% ~ 4863, from 3 to 5000" \
	"the first line has the numbers"
is "$(awk -F'|' 'NF == 3 { n += substr($1, length($1) - 12) } END { print n }' "$tmp/out") $(grep -c '|####' "$tmp/out")" "4000 3" \
	"the bars have all hits"
like "$(cat "$tmp/err")" 'Ending... 4000 hits, 0 missed' "the summary counts the hits"
hist --json -c "$prog 10 1 -1 0x8000000000000000 7" "p:$prog:value" %di:s64
is "$(cat "$tmp/out")" '{"function":"value","value":"%di:s64","hits":30,"missed":0,"mean":-3.0744573456182584e+18,"min":"-9223372036854775808","max":7,"p50":-1,"p90":7,"p99":7,"buckets":{"-9223372036854775808":10,"-1":10,"7":10}}' \
	"JSON has negative values"
hist --json -c "$prog 10 1 -1 0x8000000000000000 0" "$prog:value" %di
is "$(cat "$tmp/out")" '{"function":"value","value":"%di","hits":30,"missed":0,"mean":9.2233720368547758e+18,"min":0,"max":"18446744073709551615","p50":"9799832789158199295","p90":"17870283321406128127","p99":"17870283321406128127","buckets":{"0":10,"9223372036854775808":10,"17293822569102704640":10}}' \
	"JSON has values of 64 bits"
hist --json -c "$prog 10 1 5 6" "r:$prog:value" '$retval:s32'
like "$(cat "$tmp/out")" '"hits":20,"missed":0,"mean":5.5,"min":5,"max":6,"p50":5,"p90":6' "a returned value is counted"
hist --json --return=sites -c "$prog 10 1 5 6" "r:$prog:value \$retval:s32"
like "$(cat "$tmp/out")" '"hits":20,"missed":0,"mean":5.5,"min":5,"max":6,"p50":5,"p90":6' "at return instructions, too"
hist --json -c "$prog 10 1 5 6" "$prog:word" '+0(%di):s64'
like "$(cat "$tmp/out")" '"hits":21,"missed":1,' "memory is read; an address that is bad counts as missed"
hist --json -c "perl -e 'print \"x\" x 100 for 1 .. 1000' >/dev/null" libc:malloc bytes=%di
like "$(cat "$tmp/out")" '^\{"function":"malloc","value":"bytes","hits":[0-9]{3,},' "the sizes of allocations are counted"

hist --json -c "$prog 10 1 5" "$prog:[vw]*[de]" %di:u8
is "$(sed -E 's/"missed.*//' "$tmp/out" | sort | tr '\n' ' ')" \
	'{"function":"value","value":"%di:u8","hits":10, {"function":"word","value":"%di:u8","hits":12, ' \
	"each function of a pattern has its own values"
hist --json --by %di:b4@4/8 -c "$prog 100 2 0x12 0x13 0x21" "$prog:value" low=%di:b4@0/8
is "$(cut -d, -f 1-5 "$tmp/out" | tr '\n' ' ')" '{"function":"value","value":"low","by":"%di:b4@4/8","key":"1","hits":400 {"function":"value","value":"low","by":"%di:b4@4/8","key":"2","hits":200 ' \
	"--by: each key has its values"
like "$(cat "$tmp/err")" 'Ending... 600 hits, 0 missed' "all hits are in the summary, once"
hist --by who=%di -c "$prog 10 1 $(seq -s ' ' 0 99)" "$prog:value" %di
is "$(grep -c '^value, %di, who [0-9]*: 10 hits' "$tmp/out") $(grep -c '^value, %di, who others: 360 hits' "$tmp/out")" "19 1" \
	"more than 64 keys are others; 20 are shown"
like "$(cat "$tmp/err")" '45 more keys were met; --top 65 shows them' "a message tells of those that are not shown"

"$prog" 0 1 9 &
load=$!
uprobe hist -i 0.2 -d 5 -p $load "$prog:value" %di >"$tmp/out" 2>"$tmp/err"
check "-i prints a histogram again and again" test "$(grep -c '^value, %di: [1-9][0-9]* hits' "$tmp/out")" -ge 2
is "$(grep -c '^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]$' "$tmp/out")" "$(grep -c '^value,' "$tmp/out")" "each has its time"
uprobe hist --heat -i 0.2 -d 5 -p $load "$prog:value" %di >"$tmp/out" 2>"$tmp/err"
like "$(head -n 1 "$tmp/out")" '^ +1 +32 +1024 .*HITS +50% ~ +99% ~$' "--heat has a scale of numbers"
like "$(sort -t'|' -nk 3 "$tmp/out" | tail -n 1)" '^[0-9:]{8} \|      @@ .* 9 +9$' "and a line for each interval"
uprobe hist -o "$tmp/x.svg" -i 0.2 -d 5 -p $load "$prog:value" %di >"$tmp/out" 2>"$tmp/err"
is "$? $(cat "$tmp/out")" "0 " "a picture is written, and nothing else"
check "it has a cell for each interval with hits" python3 -c '
import sys, xml.etree.ElementTree as tree
ns = "{http://www.w3.org/2000/svg}"
svg = tree.parse(sys.argv[1]).getroot()
titles = [r.find(ns + "title").text for r in svg.iter(ns + "rect")]
sys.exit(len(titles) < 3 or any(" hits, from 8 on" not in t for t in titles))' "$tmp/x.svg"
jump_was=$(<$dir/jump)
at_exit 'echo $jump_was >$dir/jump'
echo 1 >$dir/jump
hist -v -d 2 -p $load "$prog:value" %di
like "$(cat "$tmp/err")" '1 of 1 places counted without a trap' "-v tells that hits need no trap"
kill $load

# refused ERROR ARGUMENT...
refused() {
	local error=$1

	shift
	hist "$@"
	like "$status $(cat "$tmp/err")" "^2 .*$error" "hist $*: the reason is told"
}
refused 'takes a value' "$prog:value"
refused 'takes a probe and a value' "$prog:value" %di %si
refused 'takes one value' "$prog:value" '%di %si'
refused 'is text' "$prog:value" '+0(%di):string'
refused 'floating-point' "$prog:value" '%xmm0:f64'
hist 'libc:*' %di
like "$status $(grep -v ' note: ' "$tmp/err")" '^2 uprobe: the probes have [0-9]+ places, more than 64' \
	"a pattern may match 64 functions"
refused 'is an array' "$prog:value" '+0(%di):u8[2]'
refused 'top does nothing' --top 3 --heat "$prog:value" %di
refused 'has all hits' --by %si --heat "$prog:value" %di
