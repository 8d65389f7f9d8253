#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: values of hits are added up in the program, and none is lost, counted twice, or in a wrong bucket
# full: pad_states has the pads on the host; this has threads and signals
# once: jump_foreign covers the differences between kernels
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/adds.inc"
ktap_plan 17

jump 1
adds valued value
"$tmp/valued" 20000 2 1 2 9 1000
is "$(all)" "160000 40480000 hits" "the values of two threads are all there"
check "most were added in the program" few 0
like "$(cat $adds/values)" ' 1 1000$' "the least and the largest one are right"
is "$(sed 's/:[0-9]*//g' $adds/buckets)" "1 2 9 63 " "they are in the right buckets"
first=$(all)
echo 0 >$adds/registered
is "$(all)" "$first" "they are there after the probe's end"
echo 1 >$adds/registered
"$tmp/valued" 20000 1 70000
is "$(all)" "180000 1440480000 hits" "the next registration continues the sum"
like "$(cat $adds/values)" ' 1 70000$' "and its values are compared with those before"
echo 0 >$adds/registered

# A value below zero traps.
adds valued value size=4 is_signed=1
# So many of the others that a busy machine, where jumps come late, makes no difference.
# shellcheck disable=SC2046
"$tmp/valued" 20000 1 0x1fffffffe $(printf '5 0xffffffff7fffffff %.0s' {1..10})
is "$(all)" "420000 429496730360000 hits" "signed values of four bytes are all there"
check "those below zero were seen by the handler" few 20000
adds valued value size=1
"$tmp/valued" 2000 1 0x180 0xff00
is "$(all)" "4000 256000 hits" "a byte is a value"

# Each value is a new least or largest one.
adds valued value
# shellcheck disable=SC2046
"$tmp/valued" 200 2 $(seq 3000 -1 2000) $(seq 3001 4000)
is "$(all)" "800400 2401200000 hits" "none is lost if the extremes change"
like "$(cat $adds/values)" ' 2000 4000$' "they are right"

# A thread that stops anywhere in the pad goes on with the right sum.
for thing in "jumps 50" "storm 5000"; do
	adds signals work
	# shellcheck disable=SC2086
	"$tmp/signals" $thing >"$tmp/out" 2>"$tmp/err"
	traps=$(all)
	rmmod uprobe_adds
	jump 0
	adds signals work
	# shellcheck disable=SC2086
	"$tmp/signals" $thing >"$tmp/out.0" 2>"$tmp/err"
	is "$traps" "$(all)" "$thing: hits and sum are those of traps"
	is "$(cat "$tmp/out")" "$(cat "$tmp/out.0")" "$thing: so is the output"
	jump 1
done
check "the client can go" rmmod uprobe_adds
