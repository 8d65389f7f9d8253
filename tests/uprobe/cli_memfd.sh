#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper can trace probes in a library that exists only in memory, like those of libstapsdt
# once: the helper is the same on all kernels
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 6

mkfifo "$tmp/in"
"$UPROBES_TOP/build/progs/cli_memfd" "$UPROBES_TOP/build/progs/cli_memfd_library" <"$tmp/in" >"$tmp/said" &
running=$!
exec 7>"$tmp/in"
# said N: wait until the program has said N lines.
said() {
	wait_until "the program has said $1 lines" lines_in "$tmp/said" "$1"
}
said 1
is "$(uprobe sdt -p $running 'memory:*' | grep '^memory:')" "memory:fired arg1=%di:s64 arg2=%si:x64" \
	"the list of a process has the probes of its memory library"
start -p $running 'u:probes.so:memory:fired n=arg1 text=arg2:string'
echo one >&7
said 2
echo two >&7
said 3
stop
diag "$(cat "$tmp/err")"
is "$(fields "$tmp/out")" 'memory_fired: n=-1 text="one"
memory_fired: n=-2 text="two"' "these probes are traced, with their arguments"
start -s -M 1 -p $running 'p:probes.so:fire n=%di:s64'
echo three >&7
said 4
wait_until "an event is shown" ended $tracer
like "$(cat "$tmp/out")" ' fire: n=-3$' "functions of the memory library are traced"
like "$(cat "$tmp/out")" '^ => fire\+0x0 \(.*memfd:probes\.so\) ' "stacks show functions of the memory library"
start count -p $running 'p:probes.so:fire'
echo four >&7
said 5
stop
is "$(awk 'NR == 2 { print $1, $2 }' "$tmp/out")" "1 fire" "calls of functions of the memory library are counted"
exec 7>&-
wait $running
is "$? $(paste -sd' ' <"$tmp/said")" "0 ready one two three four" "the program ends with status 0 and its normal output"
