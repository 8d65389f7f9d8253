#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: programs that live on faults have the same output while all functions of libc record strings
# full: the time of the default run is used up
# once: ring_memory covers the differences between kernels
# cpus: 2
# timeout: 600
# needs: java perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/java.inc"

runs=(
	"$progs/barriers 3000"
	"perl -e 'my %h; \$h{\$_ % 97} .= sprintf(\"%x,\", \$_) for 1 .. 20000; print map { \"\$_ \$h{\$_}\\n\" } sort keys %h'"
	"bash -c 'for i in {1..300}; do read -r a _ < /proc/self/stat; printf -v b \"%s-%q\" \$i \"\$PATH\"; [[ \$b =~ ([0-9]+)-(.*) ]] && echo \"\${BASH_REMATCH[1]} \${b,,}\"; done'"
	"sort -R --random-source=/etc/services /etc/services | sed -E 's/([a-z]+)/<\\1>/g' | sort -k2 | awk '{ n[\$2]++ } END { for (i in n) print n[i], i }' | sort"
	"java_program -Xmixed"
)
ktap_plan $((2 * ${#runs[@]} + 2))

# sum OF...: print a short form of what a command prints.
sum() { eval "$*" 2>&1 | md5sum; }

declare -A plain
for run in "${runs[@]}"; do
	plain[$run]=$(sum "$run")
done

# Some of these words are addresses of strings, some of other memory, and some are no addresses.
jump 1
uprobe --max-probes 100000 --buffer 256 -o "$tmp/out" 'p:libc:* first=+0(%di):string second=+0(%si):string' 2>"$tmp/err" &
tracer=$!
wait_until "libc is probed" grep -q Ctrl-C "$tmp/err"
watch() {
	while sleep 0.05; do
		jumps
	done >"$tmp/jumps"
}
watch &
watcher=$!
for run in "${runs[@]}"; do
	is "$(sum "$run")" "${plain[$run]}" "the same output: ${run:0:40}"
done
kill "$watcher"
most=$(sort -n "$tmp/jumps" | tail -n 1)
diag "$most places at once had jumps"
check "places have jumps" [ "$most" -ge 20 ]
kill "$tracer"
wait "$tracer"
like "$(tail -n 1 "$tmp/err")" " 0 missed" "no hit is missed"
for run in "${runs[@]}"; do
	is "$(sum "$run")" "${plain[$run]}" "and after it: ${run:0:40}"
done
