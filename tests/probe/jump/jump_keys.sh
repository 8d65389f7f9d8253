#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: values of hits are added up by keys in the program: each goes to the histogram of its key, or of all others
# full: pad_states has the pads on the host; this has threads, signals, and several processes
# once: jump_foreign covers the differences between kernels
# cpus: 2
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/adds.inc"
ktap_plan 28

jump 1
adds valued value key_size=1
"$tmp/valued" 20000 2 0x101 0x202 0x303 0x102
is "$(all)" "160000 72000000 hits" "the values of two threads are all there"
check "most were added in the program" few 0
is "$(by_key)" "1:40000:10280000 2:80000:30880000 3:40000:30840000" "each key has its own"
first=$(by_key)
echo 0 >$adds/registered
is "$(by_key)" "$first" "they are there after the probe's end"
echo 1 >$adds/registered
"$tmp/valued" 20000 1 0x102 0x404
is "$(by_key)" "1:40000:10280000 2:100000:36040000 3:40000:30840000 4:20000:20560000" \
	"the next registration continues them, with one more key"

# In a table with 256 sets of four, 64 keys have room.
adds valued value key_size=1
# shellcheck disable=SC2046
"$tmp/valued" 2500 2 $(seq 100 199)
is "$(all)" "500000 74750000 hits" "100 keys: all values are there"
is "$(wc -w <$adds/keys), $(by_key | grep -o 'others.*')" "65, others:180000:32670000" "the first 64 have histograms, the others share one"
is "$(tr ' ' '\n' <$adds/keys | awk -F: '$1 ~ /[0-9]/ && ($2 != 5000 || $3 != 5000 * $1)')" "" "each of these has its values"
# If those of others were not, 180,000 would trap.
check "nearly all were added in the program, those of others, too" awk '{ exit !($2 < 50000) }' $adds/values
# Another process has other keys, for which there is no place left.
"$tmp/valued" 5000 2 1 2 3 150
is "$(by_key | grep -o 'others.*'), $(tr ' ' '\n' <$adds/keys | grep ^150:)" "others:210000:32730000, 150:15000:2250000" \
	"a key without a place is another one in each process"
"$tmp/valued" 5000 1 7 &
"$tmp/valued" 5000 1 7 140
wait
is "$(by_key | grep -o 'others.*'), $(tr ' ' '\n' <$adds/keys | grep ^140:)" "others:220000:32800000, 140:10000:1400000" \
	"two processes at the same time add to the same"
echo 0 >$adds/registered
is "$(by_key | grep -o 'others.*')" "others:220000:32800000" "the sums are the same after the probe's end"

# One process, and a table that is for other keys each time.
replaced() {
	local keys round

	for round in 1 2 3 4; do
		insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_adds.ko" "path=$tmp/valued" \
			"offset=$((0x$(symbol "$tmp/valued" value)))" key_size=$((round % 2 + 1)) || return
		wait_until "values are added in the program" eval '[ "$(cut -d" " -f 4 $adds/values)" -gt 1000 ]'
		echo 0 >$adds/registered
		keys=$(by_key)
		rmmod uprobe_adds
		echo "$keys" | tr ' ' '\n' | awk -F: '$1 !~ /^[12]$/ || $3 != $1 * $2 { exit 1 } { n++ } END { exit n != 2 }' || {
			diag "round $round: $keys"
			return 1
		}
	done
}
rmmod uprobe_adds
"$tmp/valued" 0 2 1 2 &
load=$!
check "a process that goes on: each set of keys has its own values" replaced
kill $load
wait

# A word of the stack as a signed key: here the return address.
by_word() {
	jump "$1"
	cp "$progs/valued" "$tmp/by_word$1"
	exec 8<>$control/aggregate
	echo "p:v $tmp/by_word$1:$((0x$(symbol "$tmp/by_word$1" value))) %di:u32 \$stack0:s8" >&8
	"$tmp/by_word$1" 5000 2 3 5
	cat <&8
	exec 8<&-
}
is "$(by_word 1)" "$(by_word 0)" "a word of the stack as a key: its values are those of traps"
jump 1

# A value that traps.
adds valued value size=4 is_signed=1 key_size=2
# So many of the others that a busy machine, where jumps come late, makes no difference.
# shellcheck disable=SC2046
"$tmp/valued" 20000 1 0x1fffffffe $(printf '5 0xffffffff7fffffff %.0s' {1..10})
is "$(all)" "420000 429496730360000 hits" "values below zero trap, and all are there"
check "those below zero were seen by the handler" few 20000
adds valued value key_size=8
"$tmp/valued" 20000 1 0 0x9e3779b97f4a7c15 0xffffffffffffffff
is "$(by_key)" "0:20000:0 18446744073709551615:20000:-20000 others:20000:-5907108659797825376" \
	"the one key that marks free places is another one"

# Without memory for the table, hits trap.
inject=/sys/module/uprobes/parameters/inject
at_exit "echo off >$inject"
echo cpu_counters.keys_create.kzalloc:1+ >$inject
adds valued value key_size=1
"$tmp/valued" 2000 1 0x101 0x102
check "no memory: the table is wanted" awk '$1 == "cpu_counters.keys_create.kzalloc" && $4 { n = 1 } END { exit !n }' \
	/sys/kernel/debug/uprobes-inject
is "$(by_key)" "1:2000:514000 2:2000:516000" "no memory: all values are there"
echo off >$inject

# A thread that stops anywhere in the pad goes on with the right sum.
for thing in "jumps 50" "storm 5000"; do
	# Where signals make threads come back to a place, it may not have a jump. They may do so before there is one.
	for _ in {1..8}; do
		adds signals work key_size=1
		# shellcheck disable=SC2086
		"$tmp/signals" $thing >"$tmp/out" 2>"$tmp/err"
		echo "$(all) $(by_key)" >>"$tmp/sums.${thing% *}"
		cat "$tmp/out" >>"$tmp/outs.${thing% *}"
		added=$(cut -d' ' -f 4 $adds/values)
		if [ "$thing" = "jumps 50" ] || [ "$added" -gt 0 ]; then
			break
		fi
	done
	rmmod uprobe_adds
	jump 0
	adds signals work key_size=1
	# shellcheck disable=SC2086
	"$tmp/signals" $thing >"$tmp/out.0" 2>"$tmp/err"
	[ "$thing" = "jumps 50" ] || check "$thing: some were added in the program" [ "$added" -gt 0 ]
	is "$(sort -u "$tmp/sums.${thing% *}")" "$(all) $(by_key)" "$thing: hits, sums and keys are those of traps"
	is "$(sort -u "$tmp/outs.${thing% *}")" "$(sort -u "$tmp/out.0")" "$thing: so is the output"
	jump 1
done

# The table and the histograms are the program's own memory. deep() is called with 5, 4, ... 0.
adds timed deep key_size=1
chmod 755 "$tmp" "$tmp/timed"

# unprivileged COMMAND...: have the program carry out each command, with pauses for the jumps.
unprivileged() {
	{
		for command; do
			echo "$command"
			sleep 0.2
		done
	} | setpriv --reuid=1000 --regid=1000 --clear-groups "$tmp/timed"
}
is "$(unprivileged "threads 200" "threads 200" "threads 200" "forge 2000" "forge 2000" | grep -c 'done')" 5 \
	"a program that forges tables and histograms goes on"
check "only so many values as it can have added are believed, for its six keys" awk '
	{ for (i = 1; i <= NF; i++) { split($i, part, ":"); wrong += part[1] !~ /^([0-5]|others)$/ || part[2] > 1e12 } }
	END { exit wrong > 0 || NF < 6 }' $adds/keys
echo 0 >$adds/registered
declare -A before=()
for part in $(by_key); do
	IFS=: read -r key n sum <<<"$part"
	before[$key]="$n $sum"
done
echo 1 >$adds/registered
unprivileged "threads 200" "threads 200" "threads 200" >/dev/null
is "$(for part in $(by_key); do
	IFS=: read -r key n sum <<<"$part"
	read -r n_before sum_before <<<"${before[$key]}"
	[ "$key" = others ] || echo "$key:$((n - n_before)):$((sum - sum_before))"
done | sort | xargs)" "0:2400:0 1:2400:2400 2:2400:4800 3:2400:7200 4:2400:9600 5:2400:12000" \
	"another program's values are right"
check "the client can go" rmmod uprobe_adds
