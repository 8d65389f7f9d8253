#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: with thousands of functions timed in programs, installed programs have the same output, and no call is lost
# full: it runs some thirty programs, each three times
# once: the programs use what all kernels offer
# timeout: 500
# needs: perl gron /usr/bin/python3
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 14

jump 1

# traced WHAT TARGET...: run the command in $tmp/command while uprobe does WHAT with all functions of each TARGET.
traced() {
	local what=$1

	shift
	uprobe "$what" --json --top 100000 --max-probes 200000 -c "exec bash $tmp/command >$tmp/said 2>&1" "${@/%/:*}" \
		>"$tmp/$what" 2>"$tmp/err"
}

# timed NAME COMMAND TARGET...: run COMMAND while all functions of each TARGET are timed. Two results.
timed() {
	local name=$1 command=$2 plain

	shift 2
	echo "$command" >"$tmp/command"
	plain=$(bash "$tmp/command" 2>&1)
	traced lat "$@"
	is "$(cat "$tmp/said")" "$plain" "$name has the same output"
	like "$(cat "$tmp/err")" '[0-9]{4,} calls, 0 missed' "$name: thousands of calls have a time"
}

# exact NAME COMMAND TARGET...: the same of a program that does the same each time, so it has no children: as many calls
# are timed as counted.
exact() {
	local name=$1

	timed "$@"
	shift 2
	traced count "$@"
	# Where a function does not return, it has no time.
	is "$(awk -F '[":,]+' '
		$3 == "execve" { next }
		FILENAME ~ /count$/ { counted[$3] += $5; next }
		{ timed[$3] += $5 }
		END { for (f in timed) if (timed[f] != counted[f]) print f, counted[f] + 0, timed[f] }
		' "$tmp/count" "$tmp/lat")" "" \
		"$name: all calls of $(wc -l <"$tmp/lat") functions are timed"
}

python=$(readlink -f /usr/bin/python3)
exact bash 'f() { x=$((x + $1)); }; for i in {1..2000}; do f $i; y=${y#?}$i; done; echo $x ${#y}' bash libc
exact python "export PYTHONHASHSEED=0
	$python -Sc 'print(sum(len(str(i ** 3)) for i in range(30000)), sorted({i % 37: i for i in range(4000)}.items())[-3:])'" "$python"
exact perl "export PERL_HASH_SEED=0
	perl -e 'my %h; \$h{\$_ % 97} .= chr(65 + \$_ % 26) for 1 .. 60000; print join(q( ), map { \$h{\$_} =~ s/A+/a/gr } sort keys %h), qq(\\n)'" \
	perl libc

# Some twenty programs, one after the other.
awk 'BEGIN { for (i = 0; i < 3000; i++) print i * 7919 % 10007, "word" i % 101, i, "a\tb" }' >"$tmp/text"
sort "$tmp/text" >"$tmp/sorted"
mkdir -p "$tmp"/tree/{bin,lib,share}/{a..h}
for name in "$tmp"/tree/*/*; do
	printf '%s' "$name" >"$name/short"
	ln "$name/short" "$name/other"
	ln -s long "$name/link"
done
timed tools "cd $tmp; export LC_ALL=C
	sort -k2,2 -k1n text | md5sum; sort -R --random-source=text text | sha256sum; sed 's/word\([0-9]*\)/\1-&/g' text | md5sum
	grep -c 'word[0-9]*7 ' text; tr a-z A-Z <text | md5sum; cut -d' ' -f1,3 text | uniq -c | md5sum; wc text
	od -An -tx1 text | tail -n 1; gzip -nc text | md5sum; xz -0c text | md5sum
	tar --mtime=@0 --owner=0 --group=0 -cf - text | md5sum; diff text sorted | md5sum; comm -12 sorted sorted | md5sum
	join sorted sorted | md5sum; paste text sorted | md5sum; fold -w 7 text | md5sum; expand text | md5sum; base64 text | md5sum
	seq 1 3000 | factor | md5sum; shuf --random-source=text text | md5sum; tac text | md5sum; nl text | md5sum; pr -t text | md5sum
	find tree -type f | sort | md5sum; ls -lnR tree | md5sum; dd if=text bs=100 status=none | cksum
	split -l 1000 --filter='cksum' text | md5sum; date -u -d @86400
	awk 'BEGIN { for (i = 0; i < 30000; i++) { t = sprintf(\"%d,%s\", i, substr(t, 1, 30)); n += split(t, a, /,/) }; print n, t }'" libc bash

# Go moves stacks; calls are timed from behind the checks of functions.
awk 'BEGIN { for (i = 0; i < 500; i++) printf "%s{\"a\": %d, \"b\": [%d, null]}", i ? "," : "[", i, i * i; print "]" }' >"$tmp/doc.json"
gron=$(readlink -f "$(command -v gron)")
echo "$gron $tmp/doc.json | tail -n 5" >"$tmp/command"
plain=$(bash "$tmp/command" 2>&1)
uprobe lat -c "exec bash $tmp/command >$tmp/said 2>&1" "$gron:main.*" "$gron:strconv.*" >"$tmp/lat" 2>"$tmp/err"
is "$(cat "$tmp/said")" "$plain" "a program in Go has the same output"
like "$(cat "$tmp/err")" '[0-9]{3,} calls, 0 missed' "Go: calls have a time"
like "$(cat "$tmp/lat")" 'main.gron$' "Go: its own functions have one"
diag "$(cat "$tmp/err")"
