#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: reference counters are incremented in each mapping while a probe is registered, and back to what they were
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 23

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
