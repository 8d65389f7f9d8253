#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each call of the module that can fail does, once: the error is right, nothing is left, and it works the next time
# timeout: 900
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"
progs=$UPROBES_TOP/build/progs
. "$UPROBES_TOP/tests/guest/inject.inc"

ktap_plan 40

# Loading.
ko=$tmp/uprobes.ko
strip -g -o "$ko" "$UPROBES_KO"
rmmod uprobes
wrong=0
for ((n = 1; n < 200; n++)); do
	echo "inject-round load $n" >/dev/kmsg
	said=$(insmod "$ko" "inject=*:$n" 2>&1) && break
	site=$(dmesg | sed -n 's/.*uprobes: inject: \(.*\) fails$/\1/p' | tail -n 1)
	failed_at[$site]=1
	if [[ $said != *"Cannot allocate memory"* ]] || [ -e /sys/module/uprobes ] ||
	   [ -e /sys/kernel/debug/uprobes ] || [ -e /sys/kernel/debug/uprobes-inject ]; then
		wrong=$((wrong + 1))
		diag "loading, $site fails: $said $(ls -d /sys/module/uprobes /sys/kernel/debug/uprobes* 2>&1)"
	fi
done
is "$wrong $(cat $inject)" "0 none" "loading: $((n - 1)) failures"
echo off >$inject

# The interface.
. "$UPROBES_TOP/tests/guest/client.inc"
file_offset() {
	local value=0x$(nm -D "$1" | awk -v name="$2" '$3 == name { print $1 }')

	readelf -lW "$1" | awk '$1 == "LOAD" { print $2, $3, $6 }' | while read -r off addr size; do
		if [ $((value >= addr && value < addr + size)) = 1 ]; then
			echo $((value - addr + off))
		fi
	done
}
counter=$(file_offset "$progs/steps" steps_counter)
offset=$(file_offset "$progs/steps" work)
lib=$progs/steps_library
steps
first=$pid

# none_left: no probe is registered, the text is the file's, the counter is 0.
none_left() {
	local number is rest

	while read -r number is rest; do
		[ "$is" = 0 ] || { echo "probe $number is registered"; return 1; }
	done <$client_dir/state
	"$progs/textcmp" $first && [ "$(step counter)" = "counter 0" ]
}
reg() { run register "$range"; }
unreg() { run unregister "$range"; }
# hit_all: each of the probes sees three calls.
hit_all() {
	local i before=() now

	for ((i = ${range%-*}; i <= ${range#*-}; i++)); do
		before[i]=$(hits $i)
	done
	[ "$(step call 3)" = "call 912" ] || { echo "the program goes wrong"; return 1; }
	for ((i = ${range%-*}; i <= ${range#*-}; i++)); do
		now=$(hits $i)
		[ $now = $((before[i] + 3)) ] || { echo "probe $i: $((now - before[i])) hits of 3"; return 1; }
	done
}
# try WHAT RANGE FIELD=VALUE...
try() {
	local what=$1 i

	range=$2
	shift 2
	for ((i = ${range%-*}; i <= ${range#*-}; i++)); do
		set_probe $i "$@"
	done
	each_failure "$what" reg unreg hit_all none_left
}
in_process="pid=$pid vaddr=$work"
in_file="path=$progs/steps offset=$offset"
try "a probe on a process" 0 $in_process
try "one in the trap" 1 $in_process flags=1
try "a return probe" 2 $in_process returns=1
try "one with data" 3 $in_process returns=1 data=64 entry=1
try "with a reference counter" 4 $in_process ref=$counter
try "inherited, with a reference counter" 5 $in_process flags=4 ref=$counter
try "a probe on a file" 6 $in_file
try "a return probe on a file" 7 $in_file returns=1 data=8 entry=1
try "with a reference counter on a file" 8 $in_file ref=$counter
try "twelve on a process" 20-31 $in_process
try "twelve on a file" 40-51 $in_file
try "twelve return probes on a file" 60-71 $in_file returns=1

# Enabling and disabling.
range=10
set_probe 10 $in_process flags=2
still() { "$progs/textcmp" $first; }
switch_on() { run enable 10; }
switch_off() { run disable 10; }
run register 10
each_failure "enabling" switch_on switch_off hit_all still
run enable 10
off_works() { [ "$(step call 2)" = "call 605" ]; }
each_failure "disabling" switch_off switch_on off_works off_works
run unregister 10
check "nothing is left of it" none_left

# Unregistering does not fail; what it cannot do it makes up for.
set_probe 11 $in_process
range=11
run register 11
works_unprobed() { [ "$(step call 3)" = "call 912" ]; }
each_failure "unregistering" unreg reg works_unprobed works_unprobed
run unregister 11
check "nothing is left of it" none_left

# Events of processes.
set_probe 12 $in_process flags=4
set_probe 13 $in_process flags=4 returns=1 ref=$counter
range=12-13
run register 12
run register 13
do_fork() { child=$(step fork 3; sed -n '$p' "$out"); }
fork_right() { [[ $child == "child 912"* ]]; }
fork_counted() {
	local before

	before="$(hits 12) $(hits 13)"
	fork_right && hits_now="$(hits 12) $(hits 13)"
	step fork 3 >/dev/null
	[ "$(hits 12) $(hits 13)" = "$((${before% *} + 3)) $((${before#* } + 3))" ]
}
nothing() { :; }
each_failure "a fork" do_fork nothing fork_counted fork_right
run unregister 12-13
check "nothing is left of it" none_left

set_probe 14 path="$lib" offset="$(file_offset "$lib" library_work)" ref="$(file_offset "$lib" library_counter)"
set_probe 15 $in_file returns=1
run register 14
run register 15
do_load() { step load "$lib" >/dev/null; }
do_unload() { step unload >/dev/null; }
loaded() { [ "$(tail -n 1 "$out")" = "library 1" ]; }
each_failure "a library that is loaded" do_load do_unload loaded still_runs
still_runs() { [ "$(step nest 5)" = "nest 15" ]; }
do_exec() { step exec >/dev/null; }
exec_works() { hit_all; }
range=15
each_failure "an exec" do_exec nothing exec_works still_runs
run unregister 14
run unregister 15
pid=$first
check "nothing is left of it" none_left
