#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: -s shows the functions of user stacks, for running, replaced and ended programs
# once: the helper is the same on all kernels
# timeout: 120
# needs: perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 10

export prog=$tmp/cli_stack
cp "$UPROBES_TOP/build/progs/cli_stack" "$prog"

# after_call CALLER CALLEE: print where the call returns to, as an offset from the caller's start, by
# objdump.
after_call() {
	local start
	start=$(nm "$prog" | awk -v f="$1" '$3 == f { print $1 }')
	objdump -d --disassemble="$1" "$prog" | awk -v callee="<$2>" '
		found { sub(/:/, "", $1); print $1; exit }
		/call/ && $NF == callee { found = 1 }' |
		{ read -r at; printf '0x%x\n' $((0x$at - 0x$start)); }
}
# inner() sets up its frame by its first two instructions. Before that, a stack lacks its caller.
frame=$(objdump -d --disassemble=inner "$prog" | awk '
	found { sub(/:/, "", $1); print "0x" $1; exit } /mov +%rsp,%rbp/ { found = 1 }')
frame=inner+$(printf '0x%x' $((frame - 0x$(nm "$prog" | awk '$3 == "inner" { print $1 }'))))
wanted="$frame middle+$(after_call middle inner) outer+$(after_call outer middle) main+$(after_call main outer)"

# frames: print the frames of the program in the stack of the first event.
frames() {
	awk -v prog="($prog)" '/ inner_0x[0-9a-f]+:/ { n++ } n == 1 && $3 == prog { printf "%s%s", sep, $2; sep = " " }' "$tmp/out"
}

# A process that still runs, and one that has ended.
mkfifo "$tmp/in"
"$prog" 100 wait <"$tmp/in" >"$tmp/said" &
running=$!
exec 7>"$tmp/in"
# When the program reads its input, it has loaded its libraries.
wait_until "the program waits" grep -q '^0 0x0 ' /proc/$running/syscall
start -s -p $running -M 1 "p:$prog:$frame"
echo >&7
wait_until "an event is shown" ended $tracer
is "$(frames)" "$wanted" "the stack of a running process has the right functions"
like "$(cat "$tmp/out")" ' => __libc_start[^ ]*\+0x[0-9a-f]+ \(.*/libc\.so\.6\) <[0-9a-f]{16}>$|/libc\.so\.6\[\+0x' \
	"the stack shows functions of libc, too"
like "$(cat "$tmp/err")" '^Ending tracing\.\.\. 1 events shown, 1 hits, 0 missed, 0 lost\.$' "the stack of the last event is shown, too"

# Another program replaces the file.
cp "$tmp/traced" "$tmp/other" && mv "$tmp/other" "$prog"
start -s -p $running -M 1 "p:cli_stack:$frame"
echo >&7
wait_until "an event is shown" ended $tracer
is "$(frames)" "$wanted" "the stack of a program that was replaced on disk has the right functions"
exec 7>&-
wait $running
is "$(cat "$tmp/said")" 4 "the replaced program has the right result"

rm "$prog"
cp "$UPROBES_TOP/build/progs/cli_stack" "$prog"
uprobe -s -c "$prog 3 >/dev/null" "p:$prog:$frame" >"$tmp/out" 2>"$tmp/err"
is "$(grep -c ' => inner' "$tmp/out")" 3 "each event of a short command has a stack"
is "$(frames)" "$wanted" "the stacks of a short command have the functions of the probed file"

# At a return, the stack begins at the return address.
uprobe -s -c "$prog 1 >/dev/null" "r:$prog:inner" >"$tmp/out" 2>"$tmp/err"
like "$(grep -A1 ' inner:' "$tmp/out")" "^ => middle\\+$(after_call middle inner) " \
	"the stack at a return begins in the caller"

# An independent parser reads the JSON.
uprobe --json -s -c "$prog 2 >/dev/null" "p:$prog:$frame" 2>"$tmp/err" | perl -MJSON::PP -ne '
	my @s = grep { ($_->{object} // "") eq $ENV{prog} } @{decode_json($_)->{stack}};
	print join(" ", map { sprintf "%s+0x%x", $_->{function}, $_->{offset} } @s), "\n"' >"$tmp/out"
is "$(cat "$tmp/out")" "$wanted
$wanted" "JSON has the right functions"
uprobe --json -c "$prog 1 >/dev/null" "p:$prog:$frame" >"$tmp/out" 2>/dev/null
is "$(grep -c '"stack"' "$tmp/out")" 0 "without -s, JSON has no stack"
