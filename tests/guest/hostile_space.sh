#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program without address space, or not allowed any, is probed or left alone, and lives
# once: what decides here is the module, in the same way on all kernels
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
. "$UPROBES_TOP/tests/guest/hostile.inc"
ktap_plan 52

prog=$progs/hostile_space
offset=$(uprobe offset "$prog" work | sed 's/.*://')
vaddr=0x$(nm "$prog" | awk '$3 == "work" { print $1 }')
bystander_start
set_probe 0 path="$prog" offset="$offset" flags=1
set_probe 1 path="$prog" offset="$offset" returns=1

# start THING: the program, until it is ready.
start() {
	rm -f "$tmp/in2"
	mkfifo "$tmp/in2"
	"$prog" "$1" <"$tmp/in2" >"$tmp/out2" &
	prog_pid=$!
	exec 4>"$tmp/in2"
	until_is ready tail -n 1 "$tmp/out2"
}

go() {
	lines=$(wc -l <"$tmp/out2")
	echo >&4
	until_is $((lines + 1)) sh -c "wc -l <$tmp/out2"
	tail -n 1 "$tmp/out2"
}

finish() {
	exec 4>&-
	wait $prog_pid
}

calls=0
for thing in full near limit data maps; do
	# It is like that when the probes come.
	start $thing
	check "$thing: probes on its file can be registered" sh -c "echo 'register 0' >$client_dir/run && echo 'register 1' >$client_dir/run"
	is "$(go)" "sum 14950" "$thing: it goes on"
	seen=$(($(hits 0) - calls))
	diag "$thing: $seen of 100 calls are seen"
	# All of them, or none where there is no room; never some.
	check "$thing: it is probed or not" test $seen = 0 -o $seen = 100
	is "$(hits 1)" "$(hits 0)" "$thing: its returns as well"
	bystander_fine $thing
	# It is hit while the probes go, and there are others.
	set_probe 2 pid=$prog_pid vaddr="$vaddr"
	run register 2 2>/dev/null
	is "$(go)" "sum 14950" "$thing: with a probe of its own, or none"
	run unregister 2
	run unregister 0
	run unregister 1
	is "$(go)" "sum 14950" "$thing: unprobed again"
	finish
	is $? 0 "$thing: it ends well"
	calls=$(hits 0)

	# The probes are there when it comes to be so.
	run register 0
	run register 1
	start $thing
	is "$(go)" "sum 14950" "$thing: probed before"
	finish
	is "$(hits 0)" $((calls + 100)) "$thing: probed before: all calls are seen"
	run unregister 0
	run unregister 1
	calls=$(hits 0)
done
all_gone
