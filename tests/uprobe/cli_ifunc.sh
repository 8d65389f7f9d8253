#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: of an IFUNC, the helper traces the function that the process uses, even if it is in the vDSO
# full: elf_ifunc looks at files; this traces processes
# once: the helper is the same on all kernels
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 15

prog=$UPROBES_TOP/build/progs/cli_clock
: >"$tmp/now"
plain=$("$prog" "$tmp/now")
like "$plain" '^7 answers, .* too$' "without probes, the program gets its answers"

# begin: start the program as $process. It has loaded its libraries and waits for $tmp/now; its output is
# in $tmp/said.
begin() {
	rm -f "$tmp/now" "$tmp/said"
	"$prog" "$tmp/now" >"$tmp/said" &
	process=$!
	wait_until "the program waits" grep -qx waits "$tmp/said"
}

# clock ARGUMENT... SPEC: trace a process of the program, starting before its calls.
clock() {
	begin
	start -p $process "$@"
	: >"$tmp/now"
	wait $process
	stop
}

clock p:libc:gettimeofday
is "$(cat "$tmp/said")" "$plain" "-p PID p:libc:gettimeofday: the program has the same result"
is "$(grep -c "cli_clock-$process .* gettimeofday:$" "$tmp/out") $(wc -l <"$tmp/out")" "7 7" \
	"each call of the process is shown, but no call of its child"
like "$(cat "$tmp/err")" 'gettimeofday is an IFUNC, and the [0-9]+ functions that it can stand for' \
	"a message tells that it is an IFUNC"

clock 'p:libc:gettimeofday tv=%di' 'tv != 0'
is "$(grep -c ' gettimeofday: tv=0x7[0-9a-f]*$' "$tmp/out")" 7 "arguments and a filter work"

clock 'r:libc:gettimeofday $retval'
is "$(cat "$tmp/said"): $(grep -c ' gettimeofday: arg1=0x0$' "$tmp/out")" "$plain: 7" \
	"r:libc:gettimeofday shows each return with its value"

begin
start count -p $process p:libc:gettimeofday
: >"$tmp/now"
wait $process
stop
like "$(tr '\n' ' ' <"$tmp/out")" '(^| )7 +gettimeofday|gettimeofday +7( |$)' "uprobe count counts the calls"

begin
uprobe --return=sites -p $process r:libc:gettimeofday 2>"$tmp/err"
like "$? $(tail -n 1 "$tmp/err")" '^4 .*vDSO.*--return=trampoline' \
	"--return=sites is refused for the vDSO, which has no file"
: >"$tmp/now"
wait $process

uprobe -p $$ p:libc:gettimeofday+4 2>"$tmp/err"
is "$?" 4 "an offset is refused if the IFUNC stands for several functions"

# The processor decides which strlen a process uses: --all traces all of them.
start --long --all p:libc:strlen
"$prog" "$tmp/now" >/dev/null
stop
like "$(grep -c 'cli_clock-.* strlen: (0x' "$tmp/out")" '^[1-9]' "--all p:libc:strlen shows calls of any process"
uprobe offset --all libc strlen >"$tmp/offsets" 2>/dev/null
is "$(grep 'cli_clock-.* strlen: ' "$tmp/out" | sed 's/.*(0x[0-9a-f]*\([0-9a-f]\{3\}\)).*/\1/' | sort -u |
	while read -r low; do grep -c "$low\$" "$tmp/offsets"; done | sort -u)" 1 "all calls are at one variant"

uprobe p:libc:strlen 2>"$tmp/err"
is "$?" 4 "an IFUNC without --all and without a process is refused"
like "$(cat "$tmp/err")" '--all' "the error tells to use --all"

# The kernel's tracer would accept the definition, and fail later without a reason.
tracefs=/sys/kernel/tracing
if [ -e $tracefs/uprobe_events ]; then
	uprobe --control $tracefs -p $$ p:libc:gettimeofday 2>"$tmp/err"
	like "$? $(tail -n 1 "$tmp/err")" '^4 .*vDSO.*--control' \
		"with a tracer that probes files only, the vDSO is refused"
	is "$(wc -l <$tracefs/uprobe_events)" 0 "no event is left in that tracer"
else
	skip "with a tracer that probes files only, the vDSO is refused" "this kernel has no uprobe_events"
	skip "no event is left in that tracer" "this kernel has no uprobe_events"
fi
