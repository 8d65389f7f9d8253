#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a process that shares the memory of a probed one counts as its thread, until the last of them is gone
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 17

plain=$(echo "share 10" | "$progs/steps" | tail -n 1)
plain_orphan=$(echo "orphan 7" | "$progs/steps" | tail -n 1)
like "$plain" "child 11 status 0$" "unprobed: it does its work, has a child, and executes a program"
like "$plain_orphan" "^orphan [0-9]+$" "unprobed: it stays when the first process is gone"

steps
set_probe 0 pid=$pid vaddr=$work
set_probe 1 pid=$pid vaddr=$work flags=1
set_probe 2 pid=$pid vaddr=$nest returns=1
set_probe 3 pid=$pid vaddr=$nest returns=1 flags=1
set_probe 4 pid=$pid vaddr=$work flags=4
# What is registered at once is all of the same kind.
check "entries are probed" run register 0-1
check "and returns" run register 2-3
check "and entries in children, too" run register 4
is "$(step share 10)" "$plain" "the same as unprobed"
is "$(hits 0) $(hits 1) $(hits 2) $(hits 3)" "10 10 11 11" "its calls are counted, those of its child are not"
is "$(hits 4)" 20 "but by a probe that is inherited"
check "its exec does not end the probes" test "$(registered 0)" = 1
step call 5 >/dev/null
is "$(hits 0) $(hits 1) $(hits 4)" "15 15 25" "the first process's calls are counted then"
is "$(step vfork 10)" "vfork 3145" "a child of vfork() does its work"
is "$(hits 0) $(hits 1) $(hits 4)" "25 25 35" "its calls are counted"
check "its end does not end the probes" test "$(registered 0)" = 1
is "$(step orphan 7)" "orphan waits" "another one"
echo "exit 0" >&3
end_steps
until_is "$plain_orphan" tail -n 1 "$out"
is "$(tail -n 1 "$out")" "$plain_orphan" "it goes on where the first process is gone"
is "$(hits 0) $(hits 1) $(hits 2) $(hits 3)" "32 32 19 19" "its calls are counted"
check "the probes end with it" until_is 0 awk '{ sum += $2 } END { print sum + 0 }' $client_dir/state
