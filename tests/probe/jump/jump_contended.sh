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
grep -qw rdpid /proc/cpuinfo || skip_all "this processor has no rdpid"
ktap_plan 12

prog=$tmp/contended
cp "$progs/contended" "$prog"
work=$((0x$(symbol "$prog" work)))
between=$((0x$(symbol "$prog" between)))

# say COMMAND...: send a command, and print the answer, which is also in $answer.
say() {
	echo "$*" >&"${program[1]}"
	read -r answer <&"${program[0]}"
	echo "$answer"
}

# apart: check whether there are counters for each processor, and all have counted.
apart() {
	say peek >"$tmp/peek"
	grep -q "^2 pages, 2 counted, 0 wrong\$" "$tmp/peek"
}

# stopped: let the threads end, and add their calls to $total.
total=0
stopped() {
	say stop >"$tmp/stop"
	like "$(cat "$tmp/stop")" "^[0-9]+ calls, 0 wrong\$" "$1: all results are right"
	total=$((total + $(awk '{ print $1 }' "$tmp/stop")))
}

# exact WHAT: check that each place has been hit as often as it was called.
exact() {
	counts >"$tmp/counts"
	is "$(awk -v a="at_$work" -v b="at_$between" '$1 == a { x = $2 } $1 == b { y = $2 } END { print x, y }' "$tmp/counts")" \
		"$total $total" "$1: all hits are counted"
}

jump 1
was=$(param uprobes jump_contended)
at_exit 'echo $was >/sys/module/uprobes/parameters/jump_contended'
coproc program { exec "$prog"; }
read -r pid <&"${program[0]}"

# No number of hits is enough.
echo 0 >/sys/module/uprobes/parameters/jump_contended
count_begin "$prog" $work $between
say run 4 >/dev/null
sleep 9
like "$(say peek)" "^0 pages" "without the parameter, there is one counter for all"
echo 1 >/sys/module/uprobes/parameters/jump_contended
check "counters that several processors increment are replaced" in_time apart
is "$(jumps)" 2 "the places have jumps"
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

count_begin "$prog" $work $between
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
exec {program[1]}>&-
load_module
