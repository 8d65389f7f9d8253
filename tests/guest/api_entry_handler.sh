#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: entry handlers of return probes decline calls and keep data of each
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 21

steps
plain=$(step nest 200)
n=0
for flags in 0 1; do
	for size in 1 64 4096; do
		set_probe $n pid=$pid vaddr=$nest returns=1 flags=$flags entry=1 data=$size action=data
		run register $n
		is "$(step nest 200)" "$plain" "flags=$flags, $size bytes: the program's result is right"
		is "$(calls $n) $(entries $n)" "201 201" "flags=$flags, $size bytes: each return has its data"
		is "$(missed $n)" 0 "flags=$flags, $size bytes: nothing was missed"
		run unregister $n
		n=$((n + 1))
	done
	set_probe $n pid=$pid vaddr=$nest returns=1 flags=$flags entry=1 action=decline
	run register $n
	step nest 199 >/dev/null
	is "$(hits $n) $(entries $n)" "100 200" "flags=$flags: declined calls are not followed"
	run unregister $n
	n=$((n + 1))
done
set_probe $n pid=$pid vaddr=$nest returns=1 data=4097
check_fails "more data than there may be is refused" run register $n
end_steps
