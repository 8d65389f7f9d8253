#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: forked children inherit a probe that allows it, and the probe ends with the last process
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 18

steps
plain=$(step fork 20)
set_probe 0 pid=$pid vaddr=$work flags=4
set_probe 1 pid=$pid vaddr=$work
set_probe 2 pid=$pid vaddr=$work flags=5
set_probe 3 pid=$pid vaddr=$work flags=4 returns=1
for i in 0 1 2 3; do
	run register $i
done
is "$(step fork 20)" "$plain" "the child's result is right"
is "$(hits 0)" 20 "the child's hits are counted"
is "$(hits 1)" 0 "a probe that is not inherited does not count them"
is "$(hits 2)" 20 "an inherited atomic probe counts them"
is "$(hits 3)" 20 "an inherited return probe counts them"
is "$(registered 0)" 1 "the child's end does not end the probe"
step call 5 >/dev/null
is "$(hits 0)" 25 "the parent's hits are still counted"
is "$(step grandchild 20)" "$plain" "a grandchild's result is right"
is "$(hits 0) $(hits 1) $(hits 2) $(hits 3)" "45 5 45 45" "a grandchild's hits are counted"
end_steps
check "the end of the last process ends the probe" until_is 0 registered 0
check "the end of the last process ends the return probe" until_is 0 registered 3

# Another file is mapped where the probed one was.
lib=$progs/steps_library
cp "$lib" "$tmp/other_library"
steps
step load "$lib" >/dev/null
at=$(symbol_in "$pid" "$lib" library_work)
set_probe 4 pid=$pid vaddr="$at" flags=4
set_probe 5 pid=$pid vaddr="$at" flags=6
run register 4
run register 5
plain=$(step forklib 3)
like "$plain" "^library returned" "a child calls a library"
is "$(hits 4) $(hits 5)" "1 0" "the child's call is counted by the enabled probe only"
step unload >/dev/null
step load "$tmp/other_library" >/dev/null
is "$(symbol_in "$pid" "$tmp/other_library" library_work)" "$at" "another library is mapped at the same address"
is "$(step forklib 3)" "$plain" "a child calls the other library"
is "$(hits 4) $(hits 5)" "1 0" "the other library is not probed"
run enable 5 2>/dev/null
is "$(step forklib 3)" "$plain" "a child calls it after the disabled probe was enabled"
is "$(hits 4) $(hits 5)" "1 0" "enabling the probe does not probe the other library"
end_steps
