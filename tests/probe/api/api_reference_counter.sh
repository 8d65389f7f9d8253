#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: each registered probe increments its reference counter once in each mapping, and restores it at the end
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 52

counter=$(file_offset "$progs/steps" steps_counter)
offset=$(file_offset "$progs/steps" work)
file="path=$progs/steps offset=$offset ref=$counter"
steps
is "$(step counter)" "counter 0" "without probes, the counter is 0"
set_probe 0 "$file"
set_probe 1 "$file" flags=1
set_probe 2 pid=$pid vaddr=$work ref="$counter"
set_probe 3 pid=$pid vaddr=$work ref="$counter" flags=4
run register 0
is "$(step counter)" "counter 1" "a probe on the file increments the counter"
run register 1
is "$(step counter)" "counter 2" "a second probe on the file increments the counter"
run register 2
is "$(step counter)" "counter 3" "a probe on the process increments the counter"
run register 3
is "$(step counter)" "counter 4" "an inherited probe on the process increments the counter"
step fork 1 >/dev/null
like "$(tail -n 1 "$out")" "counter 3$" "a forked child's counter has the probes that attach to the child"
is "$(step counter)" "counter 4" "the fork does not change the parent's counter"
printf 'counter\n' | "$progs/steps" >"$tmp/other"
is "$(tail -n 1 "$tmp/other")" "counter 2" "another process's counter has the probes on the file"
run unregister 1
is "$(step counter)" "counter 3" "unregistering a probe decrements the counter"
run disable 0
run enable 0
is "$(step counter)" "counter 3" "disabling and enabling a probe does not change the counter"
step exec >/dev/null
is "$(step counter)" "counter 1" "after exec, the counter has the probe on the file only"
check "exec ends the probes on the process" until_is 0 registered 3
run unregister 0
is "$(step counter)" "counter 0" "after unregistering all, the counter is 0"
# The program itself may write to the counter.
steps
run register 0
run register 1
is "$(step counter) $(step clear)" "counter 2 clear 0" "a program clears its counter"
run unregister 0
is "$(step counter)" "counter 0" "unregistering does not decrement a cleared counter"
run register 0
is "$(step counter)" "counter 1" "another probe increments the cleared counter"
run unregister 0
run unregister 1
is "$(step counter)" "counter 0" "after the last of them, the cleared counter is 0"
end_steps
steps
set_probe 2 pid=$pid vaddr=$work ref="$counter"
set_probe 3 pid=$pid vaddr=$work ref="$counter" flags=4
# A probe on a file attaches to children in any case: the flag changes nothing.
set_probe 10 "$file" flags=4
run register 10
step fork 1 >/dev/null
like "$(tail -n 1 "$out")" "counter 1$" "a probe on the file with the inherit flag increments a child's counter once"
run unregister 10
step fork 1 >/dev/null
like "$(tail -n 1 "$out")" "counter 0$" "after unregistering it, a child's counter is 0"

# A library that is loaded later, unloaded, and loaded again.
lib=$progs/steps_library
set_probe 4 path="$lib" offset="$(file_offset "$lib" library_work)" ref="$(file_offset "$lib" library_counter)"
check "a probe on a library that is not loaded is registered" run register 4
is "$(step load "$lib")" "library 1" "the probe increments the counter when the library is loaded"
is "$(step unload)" "unload 0" "the program unloads the library"
is "$(step load "$lib")" "library 1" "the probe increments the counter once when the library is loaded again"
step unload >/dev/null
run unregister 4
is "$(step load "$lib")" "library 0" "after unregistering, loading the library does not increment the counter"

set_probe 5 path="$progs/steps" offset="$offset" ref=$((counter + 1))
check_fails "an odd counter offset is refused" run register 5
set_probe 5 ref=1000000000
check_fails "a counter offset outside the file is refused" run register 5
# A counter cannot be in the text: the module must not write there.
set_probe 5 ref=$((offset / 2 * 2))
check "a probe whose counter would be in read-only memory is registered" run register 5
is "$(step call 2)" "call 605" "nothing is written to this memory"
run unregister 5
end_steps

# Later mappings of the counter, with probes on one process.
steps
set_probe 6 pid=$pid vaddr=$work ref="$counter"
set_probe 7 pid=$pid vaddr=$work ref="$counter" flags=4
run register 6
is "$(step map)" "map 1" "a probe on the process increments the counter of a later mapping"
is "$(step counter)" "counter 1" "the later mapping does not change the counter of the first one"
run register 7
is "$(step mapped)" "mapped 2" "an inherited probe increments the later mapping's counter, too"
step forkmap 1 >/dev/null
is "$(tail -n 1 "$out")" "child 301 mapped 1 map 1 counter 1" \
	"a child's counters have the inherited probe, in old and new mappings"
run unregister 6
is "$(step mapped)" "mapped 1" "unregistering a probe decrements the later mapping's counter"
is "$(step map)" "map 1" "the next mapping's counter has the remaining probe"
run unregister 7
is "$(step mapped) $(step counter)" "mapped 0 counter 0" "after unregistering both, the counters of all mappings are 0"
is "$(step map)" "map 0" "after unregistering both, a new mapping's counter is 0"
run register 0
run register 6
is "$(step map) $(step move)" "map 2 move 2" "mremap() does not change the counter of the moved mapping"
is "$(step move)" "move 2" "a second mremap() does not change it either"
step forkmap 1 >/dev/null
is "$(tail -n 1 "$out")" "child 301 mapped 1 map 1 counter 1" "a child's counters have only the probe on the file"
run unregister 0
is "$(step mapped)" "mapped 1" "unregistering a probe decrements the counter of the moved mapping"
run unregister 6
is "$(step mapped) $(step counter)" "mapped 0 counter 0" "after unregistering both, the moved mapping's counter is 0"
run register 6
is "$(step map) $(step protect)" "map 1 protect 0" "the program makes the counter's mapping read-only"
step forkmap 1 >/dev/null
is "$(tail -n 1 "$out" | cut -d' ' -f-4)" "child 301 mapped 0" "the read-only counter is decremented in a child"
run unregister 6
is "$(step mapped)" "mapped 0" "unregistering decrements the read-only counter"
end_steps

# A program may map the counter any number of times. The module looks at the 16 lowest mappings.
steps
set_probe 6 pid=$pid vaddr=$work ref="$counter"
run register 6
dmesg -C
for _ in $(seq 14); do step map >/dev/null; done
is "$(step map)" "map 1" "the counter of the 16th mapping is incremented"
is "$(dmesg | grep -c "reference counter")" 0 "up to the 16th mapping, the log says nothing"
step map >/dev/null
like "$(dmesg)" "uprobes: steps has a reference counter that a process maps more than 16 times" \
	"from the 17th mapping on, the log has a warning"
run unregister 6
is "$(step mapped) $(step counter)" "mapped 0 counter 0" "after unregistering with 17 mappings, the counters are 0"
end_steps

# Another file is mapped where the probed one was.
cp "$lib" "$tmp/other_library"
steps
step load "$lib" >/dev/null
at=$(symbol_in "$pid" "$lib" library_work)
# A disabled probe does not notice that its text is unmapped.
set_probe 8 pid=$pid vaddr="$at" ref="$(file_offset "$lib" library_counter)"
set_probe 9 pid=$pid vaddr="$at" ref="$(file_offset "$lib" library_counter)" flags=2
run register 8
run register 9
step unload >/dev/null
is "$(step load "$tmp/other_library")" "library 0" "a file mapped where the probed one was keeps its counter"
is "$(symbol_in "$pid" "$tmp/other_library" library_work)" "$at" "the other file is mapped at the same address"
run unregister 8
step unload >/dev/null
is "$(step load "$tmp/other_library")" "library 0" "a disabled probe does not change the other file's counter"
run unregister 9
step unload >/dev/null
is "$(step load "$lib")" "library 0" "after unregistering all, the probed file's counter is 0"
end_steps
