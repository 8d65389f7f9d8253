#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a probed site, and one more process with 1,000 of them, stay within their bounds of memory
# once: the result depends on the module only, not on the kernel
# full: only a change of structures changes what it measures
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"

# The figures of tests/bench/README, and what the kernel itself may allocate meanwhile.
site_max=1000 process_max=350000

case $UPROBES_KERNEL in
debug | nouprobes) skip_all "what debugging adds to each piece of memory is not ours" ;;
esac
ktap_plan 3

tmp=$(mktemp -d)
cp "$UPROBES_TOP/build/progs/hits" "$tmp/hits"
check "the client of the benchmark loads" insmod "$UPROBES_SAMPLES/../../tests/kmod/bench_ours.ko"
at_exit "rmmod bench_ours"
"$tmp/hits" memory ours >"$tmp/out"
sed 's/^/# /' "$tmp/out"
# within WHAT MAX: true if WHAT was measured and is at most MAX.
within() {
	awk -v what="$1" -v max="$2" '
		$1 == "memory" && $2 == what { seen = $3 > 0 && $3 <= max }
		END { exit !seen }' "$tmp/out"
}
check "a site takes no more than $site_max bytes" within site $site_max
check "one more process with 1,000 sites takes no more than $process_max bytes" within process $process_max
