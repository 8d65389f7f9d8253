#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the module can be loaded and unloaded 20 times while probed programs run, fork, recurse and return
# full: it loads and unloads twenty times; the torture test does so a few times
# once: the torture test unloads the module on every kernel
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
# timeout: 600
ktap_plan 3

load() {
	while [ ! -e "$tmp/stop" ]; do
		"$@" >"$tmp/now.$1" 2>&1 || echo "$* failed: $?" >>"$tmp/failed"
	done
}
threads() { [ "$("$progs/calls" threads 2 3000)" = "sum of work 26997000" ]; }
deep() { [ "$("$progs/calls" deep 500)" = "depth 500" ]; }
forks() { [ "$("$progs/calls" forks 5 | head -n 1)" = "children returned 20" ]; }
shell() { [ "$(bash -c 'for i in 1 2 3; do (exit 0) | cat; done; echo $(echo fine)')" = fine ]; }
load threads & load deep & load forks & load shell &

hit() { [ "$(param uretprobe_sum returns)" -gt 0 ]; }
libc=$(ldd "$progs/calls" | awk '$1 ~ /^libc\./ { print $3 }')
failed=0 seen=0
for round in $(seq 20); do
	atomic=$((round % 2))
	case $((round % 4)) in
	0) file=$progs/calls fn=work ;;
	1) file=$progs/calls fn=deep ;;
	2) file=$progs/calls fn=forker ;;
	3) file=$libc fn=malloc ;;
	esac
	insmod "$UPROBES_SAMPLES/uretprobe_sum.ko" path="$file" \
		offset="0x$(symbol "$file" $fn)" atomic=$atomic || failed=$((failed + 1))
	in_time hit && seen=$((seen + 1))
	rmmod uretprobe_sum && rmmod uprobes_trace uprobes && load_module || failed=$((failed + 1))
done
touch "$tmp/stop"
wait
is $failed 0 "every load and unload succeeds"
is $seen 20 "the probe is hit in every round"
[ -e "$tmp/failed" ] && sed 's/^/# /' "$tmp/failed"
is "$(cat "$tmp/failed" 2>/dev/null)" "" "the programs' results are always right"
