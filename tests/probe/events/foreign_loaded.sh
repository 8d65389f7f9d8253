#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: if the kernel's uprobe is enabled while a library that we probe is unloaded, each probe has its hits
# once: foreign_failed and foreign_forked cover the differences between kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

theirs=/sys/kernel/tracing
[ -e $theirs/uprobe_events ] || skip_all "this kernel has no uprobe_events"
ktap_plan 10

# The kernel's uprobes do not take every file system.
lib=$tmp/library
cp "$progs/steps_library" "$lib"
at=0x$(symbol "$lib" library_work)
echo "p:work $lib:$at" >$theirs/uprobe_events

both_hits() {
	echo "$(hits 0) $(awk '$2 == "work" { print $3 + 0 }' $theirs/uprobe_profile)"
}

in_place() {
	"$progs/textcmp" "$pid" | grep -q "^$lib.*memory 0xcc"
}

steps
program=$!
step load "$lib" >/dev/null
step unload >/dev/null
set_probe 0 path="$lib" offset="$at"
run register 0
step load "$lib" >/dev/null
there=$(symbol_in "$pid" "$lib" library_work)
is "$(step library 3)" "library returned 15" "our probe alone: the result is right"
is "$(both_hits)" "1 0" "our probe alone: it is hit"
step unload >/dev/null
echo 1 >$theirs/events/uprobes/enable
step load "$lib" >/dev/null
is "$(symbol_in "$pid" "$lib" library_work)" "$there" "the library is loaded at the same address again"
is "$(step library 3)" "library returned 15" "both probes: the result is right"
is "$(both_hits)" "2 1" "both probes: each is hit"
echo 0 >$theirs/events/uprobes/enable
wait_until "our breakpoint is back in place" in_place
step library 3 >/dev/null
is "$(both_hits)" "3 1" "the kernel's uprobe disabled: our probe is hit"
echo 1 >$theirs/events/uprobes/enable
step library 3 >/dev/null
is "$(both_hits)" "4 2" "the kernel's uprobe enabled again: each probe is hit"
run unregister 0
is "$(step library 3)" "library returned 15" "our probe unregistered: the result is right"
is "$(both_hits)" "4 3" "our probe unregistered: the kernel's uprobe is hit"
echo 0 >$theirs/events/uprobes/enable
check "after both probes: the text equals the file" "$progs/textcmp" "$pid"
echo >$theirs/uprobe_events
exec 3>&-
wait $program
