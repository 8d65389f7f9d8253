#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: our probe and the kernel's uprobe at one address can be toggled at the same time while it is executed
# full: what it may find is rare
# once: foreign_forked and fork_met cover the differences between kernels
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"

ours=/sys/kernel/debug/uprobes
theirs=/sys/kernel/tracing
[ -e $theirs/uprobe_events ] || skip_all "this kernel has no uprobe_events"
ktap_plan 5

prog=$tmp/foreign
cp "$progs/foreign" "$prog"
for dir in $ours $theirs; do
	printf 'p:one %s:0x%s\nr:back %s:0x%s\n' "$prog" "$(symbol "$prog" one)" \
		"$prog" "$(symbol "$prog" one)" >"$dir/uprobe_events"
done

# The program prints much output: keep only the last line.
mkfifo "$tmp/in" "$tmp/said"
tail -n 1 <"$tmp/said" >"$out" &
last=$!
# At the end, the program still reads what is in the pipe. Long lines keep that short.
yes "$(printf '%255s' '')" >"$tmp/in" 2>"$tmp/yes" &
input=$!
"$prog" <"$tmp/in" >"$tmp/said" &
pid=$!

seconds=2
[ -z "${FULL:-}" ] || seconds=20
# toggle DIR: enable and disable the events of DIR for some seconds.
toggle() {
	local end=$((SECONDS + seconds))

	while [ $SECONDS -lt $end ]; do
		echo 1 >"$1/events/uprobes/enable"
		echo 0 >"$1/events/uprobes/enable"
	done
}

hits() {
	awk '$2 == "one" { print $3 + 0 }' "$1/uprobe_profile"
}

more() {
	[ "$(hits "$1")" -gt "$2" ]
}

toggle $ours &
one=$!
toggle $theirs &
wait $one $!
check "the program still runs" kill -0 $pid
check "the program's text equals the file" "$progs/textcmp" $pid
for dir in $ours $theirs; do
	echo 1 >"$dir/events/uprobes/enable"
done
for dir in $ours $theirs; do
	check "the event in $dir is hit afterwards" in_time more "$dir" "$(hits "$dir")"
done
for dir in $ours $theirs; do
	echo 0 >"$dir/events/uprobes/enable"
	echo >"$dir/uprobe_events"
done
kill $input
wait $pid
wait $last
like "$(cat "$out")" "^sum .* traps, 0 odd$" "the program has got its own traps, and no others"
