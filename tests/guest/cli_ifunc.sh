#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: of an IFUNC, what a process got is traced, in the vDSO too
# once: the helper is the same on all kernels
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 15

prog=$UPROBES_TOP/build/progs/cli_clock
: >"$tmp/now"
plain=$("$prog" "$tmp/now")
like "$plain" '^7 answers, .* too$' "unprobed, the program gets its answers"

# begin: $process, which has all of its libraries and waits for $tmp/now; its output in $tmp/said.
begin() {
	rm -f "$tmp/now" "$tmp/said"
	"$prog" "$tmp/now" >"$tmp/said" &
	process=$!
	wait_until "the program waits" grep -qx waits "$tmp/said"
}

# clock ARGUMENT... SPEC: trace a process of the program from before its calls.
clock() {
	begin
	start -p $process "$@"
	: >"$tmp/now"
	wait $process
	stop
}

clock p:libc:gettimeofday
is "$(cat "$tmp/said")" "$plain" "-p PID p:libc:gettimeofday: the program is none the wiser"
is "$(grep -c "cli_clock-$process .* gettimeofday: (0x" "$tmp/out") $(wc -l <"$tmp/out")" "7 7" \
	"each of its calls is shown, and not its child's"
like "$(cat "$tmp/err")" 'gettimeofday is an IFUNC, and the [0-9]+ functions that it can stand for' "it is said"

clock 'p:libc:gettimeofday tv=%di' 'tv != 0'
is "$(grep -c ' gettimeofday: (0x.*) tv=0x7[0-9a-f]*$' "$tmp/out")" 7 "with arguments and a filter"

clock 'r:libc:gettimeofday $retval'
is "$(cat "$tmp/said"): $(grep -c ' gettimeofday: (0x.* <- 0x.*) arg1=0x0$' "$tmp/out")" "$plain: 7" \
	"r:libc:gettimeofday, with what it returns"

begin
start count -p $process p:libc:gettimeofday
: >"$tmp/now"
wait $process
stop
like "$(tr '\n' ' ' <"$tmp/out")" '(^| )7 +gettimeofday|gettimeofday +7( |$)' "uprobe count counts them"

begin
uprobe --return=sites -p $process r:libc:gettimeofday 2>"$tmp/err"
like "$? $(tail -n 1 "$tmp/err")" '^4 .*vDSO.*--return=trampoline' "--return=sites is refused where no file tells"
: >"$tmp/now"
wait $process

uprobe -p $$ p:libc:gettimeofday+4 2>"$tmp/err"
is "$?" 4 "an offset in no particular one of them is refused"

# Which strlen it is depends on the processor: all of them are traced.
start --all p:libc:strlen
"$prog" "$tmp/now" >/dev/null
stop
like "$(grep -c 'cli_clock-.* strlen: (0x' "$tmp/out")" '^[1-9]' "--all p:libc:strlen, in all processes"
uprobe offset --all libc strlen >"$tmp/offsets" 2>/dev/null
is "$(grep 'cli_clock-.* strlen: ' "$tmp/out" | sed 's/.*(0x[0-9a-f]*\([0-9a-f]\{3\}\)).*/\1/' | sort -u |
	while read -r low; do grep -c "$low\$" "$tmp/offsets"; done | sort -u)" 1 "at one of its variants"

uprobe p:libc:strlen 2>"$tmp/err"
is "$?" 4 "neither --all nor a process: it is refused"
like "$(cat "$tmp/err")" '--all' "and what to do is said"

# The kernel's own tracer would take the definition, and fail later without a reason.
tracefs=/sys/kernel/tracing
if [ -e $tracefs/uprobe_events ]; then
	uprobe --control $tracefs -p $$ p:libc:gettimeofday 2>"$tmp/err"
	like "$? $(tail -n 1 "$tmp/err")" '^4 .*vDSO.*--control' "a tracer that probes files only is not asked for the vDSO"
	is "$(wc -l <$tracefs/uprobe_events)" 0 "and no event is left there"
else
	skip "a tracer that probes files only is not asked for the vDSO" "this kernel has no uprobe_events"
	skip "and no event is left there" "this kernel has no uprobe_events"
fi
