#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: the entry handler of a return probe can decline a call, and hands data to the return handler
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 21

steps
plain=$(step nest 200)
n=0
for flags in 0 1; do
	for size in 1 64 4096; do
		set_probe $n pid=$pid vaddr=$nest returns=1 flags=$flags entry=1 data=$size action=data
		run register $n
		is "$(step nest 200)" "$plain" "flags=$flags, $size bytes: the program's result is right"
		is "$(calls $n) $(entries $n)" "201 201" "flags=$flags, $size bytes: a return has its entry's data"
		is "$(missed $n)" 0 "flags=$flags, $size bytes: no call is missed"
		run unregister $n
		n=$((n + 1))
	done
	set_probe $n pid=$pid vaddr=$nest returns=1 flags=$flags entry=1 action=decline
	run register $n
	step nest 199 >/dev/null
	is "$(hits $n) $(entries $n)" "100 200" "flags=$flags: the returns of declined calls are not counted"
	run unregister $n
	n=$((n + 1))
done
set_probe $n pid=$pid vaddr=$nest returns=1 data=4097
check_fails "a data size above the maximum is refused" run register $n
end_steps
