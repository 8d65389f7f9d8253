#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the one-liners in the documentation of perf-tools' uprobe work unchanged
# once: the helper is the same on all kernels
# full: it waits most of the time; cli_output and cli_count test the same features
# timeout: 240
# needs: script perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 11

start 'r:bash:readline +0($retval):string'
type_lines 'echo "hello world"' 'ls -d /etc'
stop
like "$(cat "$tmp/out")" 'readline: arg1="echo "hello world""' \
	"r:bash:readline +0(\$retval):string shows a typed line with quotes"
like "$(cat "$tmp/out")" 'arg1="ls -d /etc"' "r:bash:readline +0(\$retval):string shows a second line"
like "$(cat "$tmp/err")" 'Tracing uprobe readline \(r:readline /.*/bash:0x[0-9a-f]+ \+0\(\$retval\):string\)\. Ctrl-C to end\.' \
	"the banner is that of perf-tools"

start p:bash:readline
type_lines true
stop
is "$(grep -c ' readline:$' "$tmp/out")" 2 "p:bash:readline"

start p:/bin/bash:readline
type_lines true
stop
is "$(grep -c ' readline:$' "$tmp/out")" 2 "p:/bin/bash:readline"

start p:libc:sleep
perl -e 'sleep 0'
stop
is "$(grep -c 'perl-.* sleep:$' "$tmp/out")" 1 "p:libc:sleep"

start 'p:libc:sleep %di'
perl -e 'sleep 1'
stop
is "$(grep -c 'perl-.* sleep: arg1=0x1$' "$tmp/out")" 1 "p:libc:sleep %di"

# An offset instead of a name.
at=$(uprobe offset libc sleep)
start "p:libc:${at##*:}"
perl -e 'sleep 0'
stop
is "$(grep -c "perl-.* libc_${at##*:}:$" "$tmp/out")" 1 "p:libc:0xOFFSET"

# One process of several. cli_ifunc tests the one-liner for gettimeofday.
perl -e 'mkdir $ARGV[1]; select undef, undef, undef, 0.05 until -e $ARGV[0]; sleep 0 for 1 .. 3' "$tmp/go" "$tmp/waits" &
one=$!
wait_until "the program waits" test -d "$tmp/waits"
start -p $one p:libc:sleep
: >"$tmp/go"
perl -e 'sleep 0; sleep 0'
wait $one
stop
is "$(grep -c "perl-$one " "$tmp/out") $(wc -l <"$tmp/out")" "3 3" "-p PID p:libc:sleep"

start 'r:libc:fopen file=$retval' 'file == 0'
sed -n 1p /nonexistent /etc/passwd >/dev/null 2>&1
stop
is "$(grep -vc 'file=0x0$' "$tmp/out") $(grep -q 'fopen.*file=0x0$' "$tmp/out"; echo $?)" "0 0" \
	"r:libc:fopen file=\$retval with the filter file == 0"

like "$(uprobe -l bash)" '^readline$' "-l TARGET"
