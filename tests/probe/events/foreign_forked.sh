#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: if the kernel inserts an uprobe into a process whose child has not run yet, the child's breakpoint is ours
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/slow.inc"

[ -e /sys/bus/event_source/devices/uprobe/type ] || skip_all "this kernel has no uprobes for perf"
ktap_plan 12

tools=$progs
# The kernel's uprobes do not take every file system.
cp "$progs/steps" "$tmp/steps"
progs=$tmp
at=0x$(symbol "$progs/steps" work)
n=0
for scope in process file; do
	for try in $(seq 20); do
		steps
		program=$!
		plain=$(step call 3)
		where="path=$progs/steps offset=$at"
		[ $scope = file ] || where="pid=$pid vaddr=$work"
		# shellcheck disable=SC2086 # two words
		set_probe $n $where flags=1
		run register $n
		hold_back
		child=$(step into $slow)
		child=${child#child }
		mkfifo "$tmp/ask"
		: >"$tmp/said"
		"$tools/perf_uprobe" "$progs/steps" "$at" $pid <"$tmp/ask" >"$tmp/said" &
		perf=$!
		exec 4>"$tmp/ask"
		wait_until "the kernel's uprobe is on the parent" grep -q open "$tmp/said"
		held "$child"
		held=$?
		let_go
		rm "$tmp/ask"
		[ $held != 0 ] || break
		exec 4>&-
		wait $perf
		kill -9 "$child"
		run unregister $n
		exec 3>&-
		wait $program
	done
	check "$scope: the child has not run when the kernel inserts its uprobe" [ $held = 0 ]
	want=0
	[ $scope = process ] || want=3
	before=$(hits $n)
	# Wait until the child sleeps: then its task work has run.
	until_is S awk '{ print $3 }' "/proc/$child/stat"
	kill -USR1 "$child"
	until_is 1 grep -c "^into" "$out"
	is "$(grep "^into" "$out")" "into ${plain#call }" "$scope: the child has the right result"
	is "$(($(hits $n) - before)) $(missed $n)" "$want 0" \
		"$scope: our probe counts the child's hits only if it is on the file"
	is "$(step call 3)" "$plain" "$scope: the parent has the right result"
	exec 4>&-
	wait $perf
	run unregister $n
	check "$scope: after both probes, the parent's text equals the file" "$tools/textcmp" "$pid"
	exec 3>&-
	wait $program
	is $? 0 "$scope: the program ends with status 0"
	n=$((n + 1))
done
