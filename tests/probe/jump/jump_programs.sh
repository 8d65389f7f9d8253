#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: with thousands of functions counted without traps, installed programs have the same output
# full: it runs some thirty programs; jump_counts has one
# once: the programs use what all kernels offer
# timeout: 400
# needs: perl gron /usr/bin/python3
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 20

jump 1

# counted NAME COMMAND PROBE...: run COMMAND while functions are counted. Three results.
counted() {
	local name=$1 command=$2 plain

	shift 2
	echo "$command" >"$tmp/command"
	plain=$(bash "$tmp/command" 2>&1)
	uprobe count -v --max-probes 100000 -c "exec bash $tmp/command >$tmp/said 2>&1" "$@" >"$tmp/table" 2>"$tmp/err"
	is "$(cat "$tmp/said")" "$plain" "$name has the same output"
	diag "$(grep 'places\|traps\?:' "$tmp/err")"
	like "$(cat "$tmp/err")" '^[1-9][0-9]* of [0-9]+ places counted without a trap' "$name: places count without a trap"
	like "$(cat "$tmp/err")" ' hits, 0 missed' "$name: no hit is missed"
}

python=$(readlink -f /usr/bin/python3)
counted bash 'f() { x=$((x + $1)); }; for i in {1..4000}; do f $i; y=${y#?}$i; done; echo $x ${#y} "$(echo sub $x)"' \
	'p:bash:*' 'p:libc:*'
counted perl "perl -e 'my %h; \$h{\$_ % 97} .= chr(65 + \$_ % 26) for 1 .. 600000; print join(q( ), map { \$h{\$_} =~ s/A+/a/gr } sort keys %h), qq(\\n)'" \
	'p:perl:*' 'p:libc:*'
counted python "$python -Sc 'print(sum(len(str(i ** 3)) for i in range(300000)), sorted({i % 37: i for i in range(40000)}.items())[-3:])'" \
	"p:$python:*" 'p:libc:*'
counted awk "awk 'BEGIN { for (i = 0; i < 300000; i++) { t = sprintf(\"%d,%s\", i, substr(t, 1, 30)); n += split(t, a, /,/) }; print n, t }'" \
	'p:libc:*'

# Some twenty programs, one after the other, with all functions of libc counted in each.
awk 'BEGIN { for (i = 0; i < 30000; i++) print i * 7919 % 10007, "word" i % 101, i, "a\tb" }' >"$tmp/text"
sort "$tmp/text" >"$tmp/sorted"
mkdir -p "$tmp"/tree/{bin,lib,share}/{a..h}
for name in "$tmp"/tree/*/*; do
	printf '%s' "$name" >"$name/short"
	ln "$name/short" "$name/other"
	head -n 40 "$tmp/text" >"$name/long"
	ln -s long "$name/link"
done
counted tools "cd $tmp; export LC_ALL=C
	sort -k2,2 -k1n text | md5sum; sort -R --random-source=text text | sha256sum; sed 's/word\([0-9]*\)/\1-&/g' text | md5sum
	grep -c 'word[0-9]*7 ' text; tr a-z A-Z <text | md5sum; cut -d' ' -f1,3 text | uniq -c | md5sum; wc text
	od -An -tx1 text | tail -n 1; gzip -nc text | md5sum; xz -0c text | md5sum
	tar --mtime=@0 --owner=0 --group=0 -cf - text | md5sum; diff text sorted | md5sum; comm -12 sorted sorted | md5sum
	join sorted sorted | md5sum; paste text sorted | md5sum; fold -w 7 text | md5sum; expand text | md5sum; base64 text | md5sum
	seq 1 3000 | factor | md5sum; shuf --random-source=text text | md5sum; tac text | md5sum; nl text | md5sum; pr -t text | md5sum
	find tree -type f | sort | md5sum; ls -lnR tree | md5sum; dd if=text bs=100 status=none | cksum
	split -l 1000 --filter='cksum' text | md5sum; date -u -d @86400" 'p:libc:*'

# A program in Go: its stacks are small, so its pads save nothing.
awk 'BEGIN { for (i = 0; i < 2000; i++) printf "%s{\"a\": %d, \"b\": [%d, null]}", i ? "," : "[", i, i * i; print "]" }' >"$tmp/doc.json"
gron=$(readlink -f "$(command -v gron)")
counted Go "$gron $tmp/doc.json | tail -n 5" "p:$gron:runtime.*" "p:$gron:main.*"
like "$(cat "$tmp/err")" 'stacks of Go are too small' "a message tells why other places in Go trap"
is "$(grep -c '^ *[0-9]' "$tmp/table")" 20 "the table has the functions with the most calls"
