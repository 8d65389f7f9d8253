#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: code that a JIT compiler has made is probed by its address, and has names in stacks
# once: the helper is the same on all kernels
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

prog=$UPROBES_TOP/build/progs/cli_jit
# Behind its first two instructions landmark() has its frame.
frame=landmark+4

# launch [COMMAND...]: the program; its ID in $jit, its own idea of that in $own, its code at $code.
launch() {
	rm -f "$tmp/in" "$tmp/said"
	mkfifo "$tmp/in"
	"$@" "$prog" <"$tmp/in" >"$tmp/said" &
	exec 7>"$tmp/in"
	wait_until "the program waits" grep -q ' 0x' "$tmp/said"
	read -r own code <"$tmp/said"
	jit=$(pgrep -n -x cli_jit)
}

# jit_frame: what the stack of one call says of the code.
jit_frame() {
	start -s -p "$jit" -M 1 "p:$prog:$frame"
	echo >&7
	wait_until "there is an event" ended "$tracer"
	sed -n '/landmark+0x4 /{n;s/ <.*//p}' "$tmp/out"
}

ktap_plan 9

launch
is "$(jit_frame)" " => jit frame:1+0x6 (/tmp/perf-$jit.map)" "a frame has the name that was written last"
start --json -s -p "$jit" -M 1 "p:$prog:$frame"
echo >&7
wait_until "there is an event" ended "$tracer"
like "$(cat "$tmp/out")" '"object":"/tmp/perf-[0-9]+\.map","offset":6,"function":"jit frame:1"' "in JSON"
chown 12345 "/tmp/perf-$jit.map"
is "$(jit_frame)" " => " "none from a file of another user"

start "p:/proc/$jit/mem:$code arg=%di:x64"
echo >&7
wait_until "there is an event" test -s "$tmp/out"
stop
like "$(fields "$tmp/out")" "^mem_$code: \\($code\\) arg=0x[0-9a-f]+\$" "the code is probed by its address"
like "$(cat "$tmp/err")" ' 1 hits, 0 missed, 0 lost\.$' "and counted"
start count "/proc/$jit/mem:$code"
echo >&7
wait_until "it has been called" grep -q '\.\.\.\.\.' "$tmp/said"
stop
like "$(cat "$tmp/out")" " 1  $code\$" "by count, too"
uprobe resolve "p:/proc/$jit/mem:main" >"$tmp/out" 2>"$tmp/err"
is "$? $(cat "$tmp/err")" "2 uprobe: a place in /proc/$jit/mem is an address: p:/proc/$jit/mem:0xADDRESS" \
	"a name there is refused"
exec 7>&-
wait

# It calls the file by the ID that it has there.
launch unshare -p -f
is "$own" 1 "in a namespace the program has another ID"
like "$(jit_frame)" "^ => jit frame:1\\+0x6 \\(/proc/$jit/root/tmp/perf-1\\.map\\)\$" "which names the file"
exec 7>&-
wait
