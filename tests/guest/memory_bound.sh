#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: memory for a probed site, and for one more process with 1,000 of them, stays in its bounds
# once: what decides here is the module, in the same way on all kernels
# full: it measures, and what it measures changes with structures alone
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"

# As tests/bench/README has them, with what the kernel itself may use meanwhile.
site_max=1200 process_max=700000

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
# within WHAT MAX: a figure that was measured, and is not above.
within() {
	awk -v what="$1" -v max="$2" '
		$1 == "memory" && $2 == what { seen = $3 > 0 && $3 <= max }
		END { exit !seen }' "$tmp/out"
}
check "a site takes no more than $site_max bytes" within site $site_max
check "a process with 1,000 no more than $process_max" within process $process_max
