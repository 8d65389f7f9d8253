#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a full buffer never stops the program; what is lost is counted per CPU, exactly
# once: what decides here is the module, in the same way on all kernels
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

# lost FILE: sum of the events that a trace says were lost.
lost() {
	sed -nE 's/^CPU:[0-9]+ \[LOST ([0-9]+) EVENTS\]$/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'
}

tick=$(where tick)
ktap_plan 10
clear
echo 16 >$dir/buffer_size_kb
is "$(cat $dir/buffer_size_kb)" 16 "the buffer is small"

# No reader at all; both kinds of handlers, and records in pieces.
for args in "n=%di" "n=%di s=+0(%sp):u8" "n=%di s=\\\"$(printf '%240s' '' | tr ' ' x)\" $(for i in $(seq 30); do printf 'a%d=+0(%%sp):x64[64] ' "$i"; done | cut -d' ' -f1-12)"; do
	: >$dir/uprobe_events
	: >$dir/trace
	define "p:lost $tick $args"
	enable
	check "10,000 hits without a reader" timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) "$prog" ticks 4 2500
	disable
	drain $dir/trace_pipe >"$tmp/out"
	seen=$(grep -c ': lost:' "$tmp/out")
	is $((seen + $(lost "$tmp/out"))) 10000 "seen ($seen) and lost make 10,000"
	like "$(cat "$tmp/out")" '^CPU:[01] \[LOST [0-9]+ EVENTS\]$' "the loss is told"
done
clear
echo 1408 >$dir/buffer_size_kb
