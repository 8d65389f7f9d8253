#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: an atomic handler can ask for its task handler, which is then called once for the hit
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 9

steps
plain=$(step call 50)
plain_nest=$(step nest 50)
set_probe 0 pid=$pid vaddr=$work flags=1 action=again
set_probe 1 pid=$pid vaddr=$work flags=1
set_probe 2 pid=$pid vaddr=$work
set_probe 3 pid=$pid vaddr=$work flags=1 action=again
set_probe 4 pid=$pid vaddr=$nest flags=1 action=again returns=1
run register 0-3
run register 4
is "$(step call 50)" "$plain" "the program's result is right"
is "$(hits 0) $(calls 0) $(task_calls 0)" "50 50 50" "each hit is counted once"
is "$(hits 3) $(calls 3) $(task_calls 3)" "50 50 50" "another probe at the same address counts each hit once, too"
is "$(hits 1) $(calls 1) $(task_calls 1)" "50 50 0" "an atomic probe that does not ask is not called again"
is "$(hits 2) $(calls 2) $(task_calls 2)" "50 50 0" "a probe that may sleep is not called again"
is "$(step nest 50)" "$plain_nest" "returns: the program's result is right"
is "$(hits 4) $(calls 4) $(task_calls 4)" "51 51 51" "returns: each return is counted once"
step threads 1000 >/dev/null
is "$(hits 0) $(task_calls 0)" "4050 4050" "hits of several threads are counted once each"
is "$(awk '$4' $client_dir/state)" "" "no miss is counted"
run unregister 0-4
end_steps
