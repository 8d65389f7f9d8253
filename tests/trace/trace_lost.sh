#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a full buffer never stops the program; lost records are counted for each CPU, exactly
# once: the result depends on the module only, not on the kernel
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

# lost FILE: print how many events were lost, by the marks in a trace.
lost() {
	sed -nE 's/^CPU:[0-9]+ \[LOST ([0-9]+) EVENTS\]$/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'
}

tick=$(where tick)
ktap_plan 10
clear
echo 16 >$dir/buffer_size_kb
is "$(cat $dir/buffer_size_kb)" 16 "the buffer can be made small"

# No reader at all. Arguments from the trap and from task context, and records in pieces.
for args in "n=%di" "n=%di s=+0(%sp):u8" "n=%di s=\\\"$(printf '%240s' '' | tr ' ' x)\" $(for i in $(seq 30); do printf 'a%d=+0(%%sp):x64[64] ' "$i"; done | cut -d' ' -f1-12)"; do
	: >$dir/uprobe_events
	: >$dir/trace
	define "p:lost $tick $args"
	enable
	check "the program ends after 10,000 hits without a reader" \
		timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) "$prog" ticks 4 2500
	disable
	drain $dir/trace_pipe >"$tmp/out"
	seen=$(grep -c ': lost:' "$tmp/out")
	is $((seen + $(lost "$tmp/out"))) 10000 "records ($seen) and lost ones add up to 10,000"
	like "$(cat "$tmp/out")" '^CPU:[01] \[LOST [0-9]+ EVENTS\]$' "trace_pipe marks the loss"
done
clear
echo 1408 >$dir/buffer_size_kb
