#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: where threads count at the same time, processors get counters of their own, and the counts stay exact
# full: it waits until the counters have been looked at; jump_count has one counter
# once: jump_foreign covers the differences between kernels
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/contended.inc"
grep -qw rdpid /proc/cpuinfo || skip_all "this processor has no rdpid"
ktap_plan 12

# apart: check whether there are counters for each processor, and all have counted.
apart() {
	[[ $(say peek) == "2 pages, 2 counted, 0 wrong" ]]
}

jump 1
replace_from 0
contended_begin
say run 4 >/dev/null
# They are looked at twice meanwhile.
sleep 9
like "$(say peek)" "^0 pages" "if that is switched off, there is one counter for all"
replace_from 1
check "counters that several processors increment are replaced" in_time apart
two() { [ "$(jumps)" = 2 ]; }
check "the places have jumps" in_time two
stopped "while the counters changed"
say run 3 >/dev/null
for _ in 1 2 3; do
	say fork 2 >/dev/null
	sleep 0.3
done
stopped "with forks and signals"
exact "in the end"
count_end
check "the text is that of the file" "$progs/textcmp" "$pid"

# shellcheck disable=SC2086
count_begin "$prog" $places
total=0
say run 2 >/dev/null
sleep 1
stopped "counted anew"
exact "counted anew"
say run 2 >/dev/null
count_end
check "the module unloads" rmmod uprobes_trace uprobes
stopped "unloaded"
check "after unloading, the text is that of the file" "$progs/textcmp" "$pid"
contended_end
load_module
