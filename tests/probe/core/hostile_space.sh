#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program without free address space, or with a limit on it, is probed fully or not at all, and runs on
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/hostile.inc"
things="full limit"
[ -z "${FULL:-}" ] || things="full near limit data maps"
ktap_plan $((FULL ? 52 : 22))

prog=$progs/hostile_space
offset=$(uprobe offset "$prog" work | sed 's/.*://')
vaddr=0x$(nm "$prog" | awk '$3 == "work" { print $1 }')
bystander_start
set_probe 0 path="$prog" offset="$offset" flags=1
set_probe 1 path="$prog" offset="$offset" returns=1

# start THING: start the program, and wait until it is ready.
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
for thing in $things; do
	# The program has no room before the probes are registered.
	start $thing
	check "$thing: probes on its file can be registered" sh -c "echo 'register 0' >$client_dir/run && echo 'register 1' >$client_dir/run"
	is "$(go)" "sum 14950" "$thing: the probed program's result is right"
	seen=$(($(hits 0) - calls))
	diag "$thing: $seen of 100 calls are counted"
	# If there is no room, no call is counted. It must never be a part of them.
	check "$thing: all calls are counted, or none" test $seen = 0 -o $seen = 100
	is "$(hits 1)" "$(hits 0)" "$thing: as many returns are counted"
	bystander_fine $thing
	# Add a probe on the process, and let it go first.
	set_probe 2 pid=$prog_pid vaddr="$vaddr"
	run register 2 2>/dev/null
	is "$(go)" "sum 14950" "$thing: with a probe on the process, or without, the result is right"
	run unregister 2
	run unregister 0
	run unregister 1
	is "$(go)" "sum 14950" "$thing: after unregistering, the result is right"
	finish
	is $? 0 "$thing: the program ends with status 0"
	calls=$(hits 0)

	# The probes are registered before the program uses up its room.
	run register 0
	run register 1
	start $thing
	is "$(go)" "sum 14950" "$thing: probed before: the result is right"
	finish
	is "$(hits 0)" $((calls + 100)) "$thing: probed before: all calls are counted"
	run unregister 0
	run unregister 1
	calls=$(hits 0)
done
all_gone
