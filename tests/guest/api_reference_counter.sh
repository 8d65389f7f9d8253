#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: reference counters are incremented in each mapping while a probe is registered, and back to what they were
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 52

counter=$(file_offset "$progs/steps" steps_counter)
offset=$(file_offset "$progs/steps" work)
file="path=$progs/steps offset=$offset ref=$counter"
steps
is "$(step counter)" "counter 0" "at first it is 0"
set_probe 0 "$file"
set_probe 1 "$file" flags=1
set_probe 2 pid=$pid vaddr=$work ref="$counter"
set_probe 3 pid=$pid vaddr=$work ref="$counter" flags=4
run register 0
is "$(step counter)" "counter 1" "a probe on the file counts"
run register 1
is "$(step counter)" "counter 2" "each does"
run register 2
is "$(step counter)" "counter 3" "one on the process does"
run register 3
is "$(step counter)" "counter 4" "one that is inherited does"
step fork 1 >/dev/null
like "$(tail -n 1 "$out")" "counter 3$" "a forked child has those that probe it"
is "$(step counter)" "counter 4" "which is nothing to the parent"
printf 'counter\n' | "$progs/steps" >"$tmp/other"
is "$(tail -n 1 "$tmp/other")" "counter 2" "another process has those on the file"
run unregister 1
is "$(step counter)" "counter 3" "one less"
run disable 0
run enable 0
is "$(step counter)" "counter 3" "disabling is not unregistering"
step exec >/dev/null
is "$(step counter)" "counter 1" "exec leaves those on the file"
check "exec ends those on the process" until_is 0 registered 3
run unregister 0
is "$(step counter)" "counter 0" "and none is left"
# The program may write to it as well.
steps
run register 0
run register 1
is "$(step counter) $(step clear)" "counter 2 clear 0" "a program clears its counter"
run unregister 0
is "$(step counter)" "counter 0" "which is not decremented below that"
run register 0
is "$(step counter)" "counter 1" "another probe counts from there"
run unregister 0
run unregister 1
is "$(step counter)" "counter 0" "and none is left"
end_steps
steps
set_probe 2 pid=$pid vaddr=$work ref="$counter"
set_probe 3 pid=$pid vaddr=$work ref="$counter" flags=4
# A file is probed in children, too, whatever else it is asked.
set_probe 10 "$file" flags=4
run register 10
step fork 1 >/dev/null
like "$(tail -n 1 "$out")" "counter 1$" "one on the file that says that children inherit it"
run unregister 10
step fork 1 >/dev/null
like "$(tail -n 1 "$out")" "counter 0$" "in a child neither"

# A library that comes later, goes, and comes back.
lib=$progs/steps_library
set_probe 4 path="$lib" offset="$(file_offset "$lib" library_work)" ref="$(file_offset "$lib" library_counter)"
check "a probe on a library that nobody has loaded" run register 4
is "$(step load "$lib")" "library 1" "it counts when the library is loaded"
is "$(step unload)" "unload 0" "the library goes"
is "$(step load "$lib")" "library 1" "it counts once when it comes back"
step unload >/dev/null
run unregister 4
is "$(step load "$lib")" "library 0" "not when the probe has gone"

set_probe 5 path="$progs/steps" offset="$offset" ref=$((counter + 1))
check_fails "an odd offset is refused" run register 5
set_probe 5 ref=1000000000
check_fails "one outside the file is refused" run register 5
# The text is no place for a counter: nothing is written there.
set_probe 5 ref=$((offset / 2 * 2))
check "a counter in read-only memory is not found" run register 5
is "$(step call 2)" "call 605" "and nothing is written"
run unregister 5
end_steps

# Mappings that come later, of probes on one process.
steps
set_probe 6 pid=$pid vaddr=$work ref="$counter"
set_probe 7 pid=$pid vaddr=$work ref="$counter" flags=4
run register 6
is "$(step map)" "map 1" "one on the process counts in a mapping that comes later"
is "$(step counter)" "counter 1" "once in each"
run register 7
is "$(step mapped)" "mapped 2" "one that is inherited, too"
step forkmap 1 >/dev/null
is "$(tail -n 1 "$out")" "child 301 mapped 1 map 1 counter 1" "also in the child, and in what that maps"
run unregister 6
is "$(step mapped)" "mapped 1" "one less"
is "$(step map)" "map 1" "the next mapping has the one that is left"
run unregister 7
is "$(step mapped) $(step counter)" "mapped 0 counter 0" "and none is left"
is "$(step map)" "map 0" "in later ones neither"
run register 0
run register 6
is "$(step map) $(step move)" "map 2 move 2" "one that mremap() has moved counts once"
is "$(step move)" "move 2" "also the second time"
step forkmap 1 >/dev/null
is "$(tail -n 1 "$out")" "child 301 mapped 1 map 1 counter 1" "a child has what is its own"
run unregister 0
is "$(step mapped)" "mapped 1" "one less where it is now"
run unregister 6
is "$(step mapped) $(step counter)" "mapped 0 counter 0" "and none is left there"
run register 6
is "$(step map) $(step protect)" "map 1 protect 0" "one that the program protects later"
step forkmap 1 >/dev/null
is "$(tail -n 1 "$out" | cut -d' ' -f-4)" "child 301 mapped 0" "is decremented in a child"
run unregister 6
is "$(step mapped)" "mapped 0" "and where it is"
end_steps

# As often as a program likes; from the 17th on, it is the lowest that are looked at.
steps
set_probe 6 pid=$pid vaddr=$work ref="$counter"
run register 6
dmesg -C
for _ in $(seq 14); do step map >/dev/null; done
is "$(step map)" "map 1" "the 16th mapping is counted"
is "$(dmesg | grep -c "reference counter")" 0 "and nothing is said"
step map >/dev/null
like "$(dmesg)" "uprobes: steps has a reference counter that a process maps more than 16 times" "from the 17th on, the log says that not all may be"
run unregister 6
is "$(step mapped) $(step counter)" "mapped 0 counter 0" "and none is left"
end_steps

# Another file where the probed one was.
cp "$lib" "$tmp/other_library"
steps
step load "$lib" >/dev/null
at=$(symbol_in "$pid" "$lib" library_work)
# One that is disabled takes no notice of its text's being unmapped.
set_probe 8 pid=$pid vaddr="$at" ref="$(file_offset "$lib" library_counter)"
set_probe 9 pid=$pid vaddr="$at" ref="$(file_offset "$lib" library_counter)" flags=2
run register 8
run register 9
step unload >/dev/null
is "$(step load "$tmp/other_library")" "library 0" "a file that comes in the place of the probed one is left alone"
is "$(symbol_in "$pid" "$tmp/other_library" library_work)" "$at" "which lies where that was"
run unregister 8
step unload >/dev/null
is "$(step load "$tmp/other_library")" "library 0" "also by a probe that is disabled"
run unregister 9
step unload >/dev/null
is "$(step load "$lib")" "library 0" "and so is the probed one when the probe is gone"
end_steps
