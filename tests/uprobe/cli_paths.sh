#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: stacks counts the call paths to a function, as a table, as lines, as a picture
# once: the helper and the tracer do the same on all kernels
# cpus: 2 with FULL=1
# needs: python3
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
ktap_plan 22

prog=$tmp/flow
cp "$UPROBES_TOP/build/progs/flow" "$prog"

stacks() {
	uprobe stacks "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# The functions of the program alone: what called main() depends on the C library.
paths() {
	sed -E 's/[^ ;]+;([^ ;]+;)*main;/flow;main;/; s/^flow;.*;fl_thread;/flow;fl_thread;/' "$tmp/out" |
		awk '{ n[$1] += $2 } END { for (path in n) print path, n[path] }' | LC_ALL=C sort
}

stacks --folded -c "$prog" "p:$prog:fl_leaf"
is "$status $(paths)" "0 flow;fl_thread;fl_tail;fl_leaf 1
flow;main;fl_all;fl_catch;fl_leaf 1
flow;main;fl_all;fl_down;fl_down;fl_down;fl_down;fl_leaf 1
flow;main;fl_all;fl_leaf 1
flow;main;fl_all;fl_slow;fl_leaf 1" "--folded prints each path with its number"
stacks --folded -c "$prog; $prog" "$prog:fl_slow" "$prog:fl_catch"
is "$(paths)" "flow;main;fl_all;fl_catch 2
flow;main;fl_all;fl_slow 2" "paths to two functions, of two processes, are added up"
stacks -c "$prog; $prog" "$prog:fl_slow" "$prog:fl_leaf"
# What called main() has no name if the process has ended before its mappings were read.
is "$(awk '/%/ { n += $1; share += $2 } END { print n, (share > 99.5 && share < 100.5) }' "$tmp/out")" "12 1" \
	"the table has numbers and shares of all paths"
check "it has a path for each way there" [ "$(grep -c % "$tmp/out")" -ge 6 ]
like "$(cat "$tmp/out")" '^ {19}fl_all$' "the callers stand below"
stacks --top 2 -c "$prog" "$prog:fl_leaf"
is "$(grep -c % "$tmp/out")" 2 "--top limits the number of paths"
like "$(cat "$tmp/err")" '3 more paths lead there' "a message tells how many are not shown"

stacks -o "$tmp/x.svg" -c "$prog" "$prog:fl_leaf"
is "$status $(python3 -c '
import sys, xml.etree.ElementTree as tree
ns = "{http://www.w3.org/2000/svg}"
svg = tree.parse(sys.argv[1]).getroot()
boxes = {}
for g in svg.iter(ns + "g"):
    rect = g.find(ns + "rect")
    boxes.setdefault(g.get("data-name"), []).append((g.find(ns + "title").text, float(rect.get("width"))))
print(len(boxes["fl_leaf"]), boxes["all"][0], len(boxes["fl_down"]), boxes["fl_all"][0][0])' "$tmp/x.svg")" \
	"0 5 ('all (5, 100.00%)', 1180.0) 4 fl_all (4, 80.00%)" "-o x.svg draws a box for each function on a path"

stacks -M 2 --folded -c "$prog" "$prog:fl_leaf"
is "$(awk '{ n += $NF } END { print n }' "$tmp/out") $(tr ';' '\n' <"$tmp/out" | grep -c '^fl_leaf')" "2 2" "-M counts so many stacks, each by itself"

for how in trampoline sites; do
	stacks --folded --return=$how -c "$prog" "r:$prog:fl_slow"
	is "$(paths | sed 's/+0x[0-9a-f]*//')" "flow;main;fl_all;fl_slow 1" "returns are counted, with the caller: $how"
done

odd=$tmp/$'\001\002\003\004\005'
cp "$prog" "$odd"
stacks --folded -c "$odd" "$odd:fl_slow"
is "$(sed 's/.*;main;/main;/' "$tmp/out")" "main;fl_all;fl_slow 1" "a program with an odd name has its paths"

# A program without frame pointers: the direct caller is right.
stacks --folded -c 'ls / >/dev/null' 'p:libc:malloc'
like "$(cat "$tmp/out")" '(strdup|fopen|setlocale|_nl_find_locale|__strdup);_*(libc_)?malloc [0-9]+$' "the direct caller of a C library's function is there"
like "$(cat "$tmp/err")" ' 0 missed, 0 lost' "no stack is lost"
is "$(uprobe stacks -o "$tmp/out" -c 'ls /' 'p:libc:malloc' 2>/dev/null)" "$(ls /)" "the program has the same output"
stacks -i 5 "$prog:fl_leaf"
is "$status" 2 "an option without an effect is refused"
stacks
is "$status" 2 "stacks without a probe is refused"

# With -p, the module counts. The program has frame pointers.
cp "$UPROBES_TOP/build/progs/ringed" "$tmp"
coproc ringed { exec "$tmp/ringed"; }
read -r _ pid <&"${ringed[0]}"
start stacks --folded --buffer 64 -p "$pid" "p:$tmp/ringed:ring_call"
like "$(cat "$tmp/err")" 'Counting stacks in the kernel' "with -p, stacks are counted in the kernel"
like "$(cat "$tmp/err")" '--buffer has no effect' "which needs no buffer, and that is said"
echo "run 2 500" >&"${ringed[1]}"
read -r _ <&"${ringed[0]}"
# It ends before the helper names the addresses.
kill "$pid"
wait_until "the program has ended" ended "$pid"
stop
is "$(awk '{ n += $NF } END { print n }' "$tmp/out")" 1000 "all hits are counted"
is "$(sed 's/ [0-9]*$//' "$tmp/out" | sort -u | grep -c ';thread;ring_words;ring_call$')" 1 "with their paths: $(head -n 2 "$tmp/out" | xargs)"
like "$(cat "$tmp/err")" '1000 hits, 0 missed' "none is missed"
