#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: kernel calls on rare paths may fail: the first probe, system calls, the kernel's uprobes, very many forks
# full: they are rare
# once: the code that fails is the same on all kernels
# timeout: 400
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/inject.inc"
. "$UPROBES_TOP/tests/shared/inject_client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

ktap_plan 15
tracefs=/sys/kernel/tracing

# The first probe after loading. It is on a system call.
prog=$progs/judged
plain=$("$prog")
set_probes() { set_probe 0 path="$prog" offset="0x$(symbol "$prog" the_syscall)"; }
set_probes
anew() {
	run unregister 0
	rmmod uprobe_client
	rmmod uprobes_trace uprobes
	load_module
	insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
	set_probes
}
# The module inserts the breakpoint when the program maps the file.
first_probe() { run register 0 && "$prog" >"$tmp/said_first"; }
judged() { [ "$("$prog" | cat "$tmp/said_first" -)" = "$plain"$'\n'"$plain" ] && [ "$(hits 0)" = 602 ]; }
# After a failed registration, the next one must work. Then each round begins with a module that has
# probed nothing: otherwise it depends on the number of the failed call what is the first probe.
as_unprobed() {
	[ "$("$prog")" = "$plain" ] || return
	[ "$status" = 0 ] || { first_probe && judged && anew; }
}
each_failure "the first probe" first_probe anew judged as_unprobed

# Fail all hooks that abort restartable sequences in slots.
anew
echo 'rseq.*:2+' >$inject
first_probe
read -r site _ <$inject
echo off >$inject
failed_at[rseq.rseq_watch.enable_kprobe]=1
check "the probe works without the hooks for restartable sequences" judged
like "$(dmesg | tail -n 5)" "restartable sequences" "the log says that restartable sequences do not work"

# If the kernel's uprobes own the breakpoint, the module reads the instruction from the file.
beside="beside the kernel's uprobes"
if [ -e $tracefs/uprobe_events ]; then
	prog=$tmp/foreign
	cp "$progs/foreign" "$prog"
	mkfifo "$tmp/foreign.in"
	: >"$tmp/foreign.out"
	"$prog" <"$tmp/foreign.in" >"$tmp/foreign.out" &
	exec 4>"$tmp/foreign.in"
	wait_until "the program is ready" grep -q ready "$tmp/foreign.out"
	echo "p:there $prog:0x$(symbol "$prog" one)" >>$tracefs/uprobe_events
	echo 1 >$tracefs/events/uprobes/there/enable
	rounds=0
	another() {
		rounds=$((rounds + 1))
		echo >&4
		wait_until "the program has finished round $rounds" \
			grep -q "^sum $((440 * rounds)), $((3 * rounds)) traps, 0 odd\$" "$tmp/foreign.out"
	}
	set_probe 1 path="$prog" offset="0x$(symbol "$prog" one)"
	beside() { run register 1; }
	alone() { run unregister 1; }
	both() {
		local before

		before=$(hits 1)
		another && [ $(($(hits 1) - before)) = 10 ]
	}
	each_failure "$beside" beside alone both another
	echo 0 >$tracefs/events/uprobes/there/enable
	: >$tracefs/uprobe_events
	exec 4>&-
else
	skip "$beside" "this kernel has no uprobe_events"
fi

# always SITE WHAT OP WORKS: run OP while each call at SITE fails. WORKS must hold, or the log must
# say what does not work. Then run OP without failures: WORKS must hold.  Two results.
always() {
	if ! grep -q "^$1 " /sys/kernel/debug/uprobes-inject; then
		skip "$2: it works without the memory" "a real-time kernel does not allocate there"
		skip "$2: the next time it works" "a real-time kernel does not allocate there"
		return
	fi
	round_mark="inject-round $2"
	echo "$round_mark" >/dev/kmsg
	echo "$1:1+" >$inject
	$3 >"$tmp/said" 2>&1
	read -r site _ <$inject
	echo off >$inject
	failed_at[$site]=1
	if $4; then
		is "$site" "$1" "$2: it works without the memory"
	else
		is "$site $(told | grep -c -m 1 "no memory: .*process [0-9]* ")" "$1 1" "$2: the log says what does not work"
	fi
	$3 >"$tmp/said" 2>&1
	check "$2: the next time it works" $4
}

# A fork deep in return-probed calls.
prog=$progs/deep_fork
plain=$("$prog" 10000)
set_probe 2 path="$prog" offset="0x$(symbol "$prog" descend)" returns=1
run register 2
deep_fork() { "$prog" 10000; }
forked() { [ "$(<"$tmp/said")" = "$plain" ]; }
always calls_walk.blanks_make.instance_alloc "a fork in 10000 calls" deep_fork forked
run unregister 2

# More forks than the reserve has memory for: no child runs before bash waits.
prog=$tmp/bash
cp /bin/bash "$prog"
set_probe 3 path="$prog" offset="$(file_offset "$prog" execute_command)"
run register 3
many_forks() {
	chrt -R -f 1 taskset -c 0 "$prog" -c 'for i in {1..300}; do (exit 3) & all+=($!); done; for i in "${all[@]}"; do wait "$i"; echo $?; done' |
		sort | uniq -c | xargs
}
echo task_events.fork_copied.kmalloc:1+ >$inject
is "$(many_forks)" "300 3" "300 forks without memory: all children run"
echo off >$inject
site=task_events.fork_copied.kmalloc
[ "$(awk -v site=$site '$1 == site { print $4 + 0 }' /sys/kernel/debug/uprobes-inject)" = 0 ] || failed_at[$site]=1
is "$(many_forks)" "300 3" "300 forks with memory: all children run"
run unregister 3

# Tasks that have no utask yet: a program starts, then forks and shares its memory within a probed
# function.
prog=$progs/calls
plain=$("$prog" forks 3)
set_probe 4 path="$prog" offset="0x$(symbol "$prog" forker)" returns=1
run register 4
call_forks() { before=$(hits 4); "$prog" forks 3; }
# Four calls return. Three of them return in a child as well.
seen_to_return() { [ "$(<"$tmp/said")" = "$plain" ] && [ $(($(hits 4) - before)) = 7 ]; }
always map_events.on_map.utask_get "a program that is mapped" call_forks seen_to_return
run unregister 4

first_fork() {
	steps
	set_probe 5 pid="$pid" vaddr="$work" ref="$counter"
	run register 5
	step fork 3
	run unregister 5
	end_steps
}
child_not_counted() { [ "$(<"$tmp/said")" = "child 912 counter 0" ]; }
always fork.pmm_copy_begins.utask_get "the first fork" first_fork child_not_counted

# The program moves the probed text before it first executes it.
cp "$progs/patched" "$tmp/patched"
first_move() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	: >"$out"
	"$tmp/patched" <"$tmp/in" >"$out" &
	pid=$!
	exec 3>"$tmp/in"
	until_is 1 lines
	set_probe 6 pid="$pid" vaddr="$(symbol_in "$pid" "$tmp/patched" amount)"
	run register 6
	printf 'move\ncall\n' >&3
	exec 3>&-
	wait $pid
	cat "$out"
	run unregister 6
}
moved() { [ "$(tail -n 1 "$tmp/said")" = 5 ]; }
always map_events.task_moves_text.utask_get "text that is moved" first_move moved
listed_failed
