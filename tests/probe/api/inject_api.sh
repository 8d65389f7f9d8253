#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if a kernel call fails in (un)registering or enabling, the error is right, nothing is left and a retry works
# once: the code that fails is the same on all kernels
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/inject.inc"
. "$UPROBES_TOP/tests/shared/inject_client.inc"

ktap_plan 19

try "a probe on a process" 0 $in_process
# The module searches a program for unwinders when it first calls a return-probed function. The
# module remembers the result for each file, so each round needs a new file.
nth=0
first_call() {
	nth=$((nth + 1))
	cp "$progs/steps" "$tmp/first$nth"
	set_probe 12 path="$tmp/first$nth" offset=$offset returns=1
	before=$(hits 12)
	run register 12 && echo call 3 | "$tmp/first$nth" >"$tmp/first_said"
}
no_first_call() { run unregister 12; }
called() { [ "$(tail -n 1 "$tmp/first_said")" = "call 912" ] && [ $(($(hits 12) - before)) = 3 ]; }
gone_with_it() { rm -f "$tmp/first$nth"; none_left; }
only='elf_symbol*,unwinder.*' \
	each_failure "the first call of a return-probed function" first_call no_first_call called gone_with_it

try "an atomic probe on a process, with a condition" 1 $in_process flags=1 where=sp.8.u.ne.1
try "a return probe with data" 3 $in_process returns=1 data=64 entry=1
try "an inherited probe with a reference counter" 5 $in_process flags=4 ref=$counter
# With several processes, the list of a probe's places grows.
mkfifo "$tmp/idle"
exec 7<>"$tmp/idle"
"$progs/steps" <&7 >"$tmp/idle_out" &
idle=$!
"$progs/steps" <&7 >"$tmp/idle_out" &
idle="$idle $!"
at_exit 'kill $idle 2>/dev/null'
try "a probe on a file" 6 $in_file
try "a return probe with a reference counter on a file" 8 $in_file returns=1 ref=$counter
try "three probes on a process" 20-22 $in_process
try "three probes on a file" 40-42 $in_file

# Without a path, the module reads the text from the page cache. The way depends on the file system.
mkdir "$tmp/ramfs"
mount -t ramfs ramfs "$tmp/ramfs" && at_exit "umount -l $tmp/ramfs"
range=9
seen() { before=$(hits 9); echo call 3 | "$where/steps" >/dev/null; [ $(($(hits 9) - before)) = 3 ]; }
for where in "$tmp" "$tmp/ramfs"; do
	cp "$progs/steps" "$where"
	set_probe 9 inode="$where/steps" offset=$offset
	each_failure "a probe on an inode, on $(stat -f -c %T "$where")" reg unreg seen none_left
done

# A kernel thread looks up a path from the root of the first process.
range=15
set_probe 15 $in_file
in_thread() { run thread-register 15; }
seen() { before=$(hits 15); step call 3 >/dev/null; [ $(($(hits 15) - before)) = 3 ]; }
each_failure "a probe on a file, by a kernel thread" in_thread unreg seen none_left

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
range=1
run register 1
new_conditions() { run condition 1; }
nothing() { :; }
each_failure "setting conditions" new_conditions nothing hit_all nothing
run unregister 1
check "enabling and disabling leave nothing" none_left

# Unregistering returns no error: if one of its calls fails, it falls back to another way.
set_probe 11 $in_process
range=11
run register 11
works_unprobed() { [ "$(step call 3)" = "call 912" ]; }
each_failure "unregistering" unreg reg works_unprobed works_unprobed
run unregister 11
check "unregistering leaves nothing" none_left
listed_failed
