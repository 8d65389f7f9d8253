#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a process that shares the memory of a probed one is probed like its thread, until the last of them ends
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 17

plain=$(echo "share 10" | "$progs/steps" | tail -n 1)
plain_orphan=$(echo "orphan 7" | "$progs/steps" | tail -n 1)
like "$plain" "child 11 status 0$" "without probes, the sharing process calls, forks and executes a program"
like "$plain_orphan" "^orphan [0-9]+$" "without probes, the sharing process survives the first one"

steps
set_probe 0 pid=$pid vaddr=$work
set_probe 1 pid=$pid vaddr=$work flags=1
set_probe 2 pid=$pid vaddr=$nest returns=1
set_probe 3 pid=$pid vaddr=$nest returns=1 flags=1
set_probe 4 pid=$pid vaddr=$work flags=4
# One call can register only probes of the same type.
check "entry probes are registered" run register 0-1
check "return probes are registered" run register 2-3
check "an inherited probe is registered" run register 4
is "$(step share 10)" "$plain" "with probes, the sharing process has the same result"
is "$(hits 0) $(hits 1) $(hits 2) $(hits 3)" "10 10 11 11" \
	"the sharing process's calls are counted, its child's are not"
is "$(hits 4)" 20 "an inherited probe counts both"
check "the exec of the sharing process does not end the probes" test "$(registered 0)" = 1
step call 5 >/dev/null
is "$(hits 0) $(hits 1) $(hits 4)" "15 15 25" "afterwards, the first process's calls are counted"
is "$(step vfork 10)" "vfork 3145" "a vfork child has the right result"
is "$(hits 0) $(hits 1) $(hits 4)" "25 25 35" "a vfork child's calls are counted"
check "the end of a vfork child does not end the probes" test "$(registered 0)" = 1
is "$(step orphan 7)" "orphan waits" "another sharing process waits"
echo "exit 0" >&3
end_steps
until_is "$plain_orphan" tail -n 1 "$out"
is "$(tail -n 1 "$out")" "$plain_orphan" "after the first process has ended, the sharing process has the right result"
is "$(hits 0) $(hits 1) $(hits 2) $(hits 3)" "32 32 19 19" "after the first process has ended, calls are counted"
check "the probes end with the sharing process" until_is 0 awk '{ sum += $2 } END { print sum + 0 }' $client_dir/state
