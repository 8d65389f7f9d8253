#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a hit is handled by the consumers that were registered when it began, and by no other
# once: the module's own code decides this, and it is the same on all kernels
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 12

# The handler of probe 0 keeps the first hit in the trap, on its own CPU, until the probe is
# unregistered. The rest of that hit is deferred to task context, for probes 1 and 2. Meanwhile
# register an entry probe in the trap, one in task context, and two return probes. If such a return
# probe followed the call, a client would count more returns than calls.
taskset -p 2 $$ >/dev/null
steps
taskset -p 1 "$pid" >/dev/null
set_probe 0 pid="$pid" vaddr="$work" flags=1 action=hold other=0
set_probe 1 pid="$pid" vaddr="$work" flags=0
set_probe 2 pid="$pid" vaddr="$work" flags=1 returns=1
set_probe 3 pid="$pid" vaddr="$work" flags=1
set_probe 4 pid="$pid" vaddr="$work" flags=0
set_probe 5 pid="$pid" vaddr="$work" flags=1 returns=1
set_probe 6 pid="$pid" vaddr="$work" flags=0 returns=1
for n in 0 1 2; do
	run register $n
done
echo "call 1" >&3
check "the first hit is in the trap" until_is 1 running 0
for n in 3 4 5 6; do
	run register $n
done
run unregister 0
check "the call ends" until_is 2 lines
is "$(hits 1) $(hits 2)" "1 1" "the probes that were registered before see the call and its return"
for n in 3 4 5 6; do
	is "$(hits $n) $(missed $n)" "0 0" "probe $n, registered during the first hit, does not"
done
step call 1 >/dev/null
for n in 2 3 4 5 6; do
	is "$(hits $n) $(missed $n)" "$([ $n = 2 ] && echo 2 || echo 1) 0" "probe $n sees the next call"
done
end_steps
