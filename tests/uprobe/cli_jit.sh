#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: code of a JIT compiler can be probed by its address, and stacks show the names of its functions
# once: the helper is the same on all kernels
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

prog=$UPROBES_TOP/build/progs/cli_jit
# landmark() sets up its frame by its first two instructions.
frame=landmark+4

# launch [COMMAND...]: start the program. $jit is its process ID, $own its process ID in its own
# namespace, $code the address of its code.
launch() {
	rm -f "$tmp/in" "$tmp/said"
	mkfifo "$tmp/in"
	"$@" "$prog" <"$tmp/in" >"$tmp/said" &
	exec 7>"$tmp/in"
	wait_until "the program waits" grep -q ' 0x' "$tmp/said"
	read -r own code <"$tmp/said"
	jit=$(pgrep -n -x cli_jit)
}

# jit_frame: print the frame of the JIT code in the stack of one call.
jit_frame() {
	start -s -p "$jit" -M 1 "p:$prog:$frame"
	echo >&7
	wait_until "an event is shown" ended "$tracer"
	sed -n '/landmark+0x4 /{n;s/ <.*//p}' "$tmp/out"
}

ktap_plan 9

launch
is "$(jit_frame)" " => jit frame:1+0x6 (/tmp/perf-$jit.map)" "a frame has the name that the map file lists last"
start --json -s -p "$jit" -M 1 "p:$prog:$frame"
echo >&7
wait_until "an event is shown" ended "$tracer"
like "$(cat "$tmp/out")" '"object":"/tmp/perf-[0-9]+\.map","offset":6,"function":"jit frame:1"' "JSON has the name, too"
chown 12345 "/tmp/perf-$jit.map"
is "$(jit_frame)" " => " "a map file of another user is ignored"

start --long "p:/proc/$jit/mem:$code arg=%di:x64"
echo >&7
wait_until "an event is shown" test -s "$tmp/out"
stop
like "$(fields "$tmp/out")" "^mem_$code: \\($code\\) arg=0x[0-9a-f]+\$" "JIT code can be probed by its address"
like "$(cat "$tmp/err")" ' 1 hits, 0 missed, 0 lost\.$' "the hit of JIT code is counted"
start count "/proc/$jit/mem:$code"
echo >&7
wait_until "the code has been called" grep -q '\.\.\.\.\.' "$tmp/said"
stop
like "$(cat "$tmp/out")" " 1  $code\$" "count counts calls of JIT code"
uprobe resolve "p:/proc/$jit/mem:main" >"$tmp/out" 2>"$tmp/err"
is "$? $(cat "$tmp/err")" "2 uprobe: a place in /proc/$jit/mem is an address: p:/proc/$jit/mem:0xADDRESS" \
	"a function name in a memory target is refused"
exec 7>&-
wait

# The program names its map file after its process ID in its namespace.
launch unshare -p -f
is "$own" 1 "in a pid namespace the program has another process ID"
like "$(jit_frame)" "^ => jit frame:1\\+0x6 \\(/proc/$jit/root/tmp/perf-1\\.map\\)\$" \
	"the map file of this process ID is used"
exec 7>&-
wait
