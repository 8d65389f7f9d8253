#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each call that can fail in fork, exec and mapping a probed file does, once: the program runs on, and what is missed is told
# long: hundreds of forks and mappings, each with another failure
# once: the code that fails is the same on all kernels
# timeout: 400
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/inject.inc"
. "$UPROBES_TOP/tests/guest/inject_client.inc"

ktap_plan 6

nothing() { :; }
still_runs() { [ "$(step nest 5)" = "nest 15" ]; }
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
	fork_right || return
	step fork 3 >/dev/null
	[ "$(hits 12) $(hits 13)" = "$((${before% *} + 3)) $((${before#* } + 3))" ]
}
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
do_exec() { step exec >/dev/null; }
range=15
each_failure "an exec" do_exec nothing hit_all still_runs
run unregister 14
run unregister 15
pid=$first
check "nothing is left of it" none_left
listed_failed
