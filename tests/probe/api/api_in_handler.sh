#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a handler can sleep, change the ip, and register and unregister its own probe and others
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 34

# told N: print the number of callbacks; of the last one the result, if it was a registration, and the
# type. told_type N: print only the latter two, since later registrations get EBUSY.
told() { awk -v n="$1" '$1 == n { print $8, $9, $10, $11 }' $client_dir/state; }
told_type() { told "$1" | cut -d' ' -f3-; }

steps
plain=$(step call 10)
n=0
for flags in 0 1; do
	for returns in 0 1; do
		what="flags=$flags returns=$returns"
		# Both at the same address: the handler of n unregisters n, that of n+1 registers n+2.
		set_probe $n pid=$pid vaddr=$work flags=$flags returns=$returns action=unregister other=$n
		set_probe $((n + 1)) pid=$pid vaddr=$work flags=$flags returns=$returns action=register other=$((n + 2))
		set_probe $((n + 2)) pid=$pid vaddr=$((returns ? nest : second)) flags=$flags returns=$returns
		run register $n-$((n + 1))
		is "$(step call 10)" "$plain" "$what: the program's result is right"
		check "$what: a handler has unregistered itself" until_is 0 registered $n
		check "$what: the callback gets the result of the unregistration" until_is "1 0 0 $returns" told $n
		check "$what: a handler has registered another probe" until_is 1 registered $((n + 2))
		check "$what: the callback gets the result of the registration" \
			until_is "1 $returns" told_type $((n + 2))
		step call 10 >/dev/null
		step nest 10 >/dev/null
		check "$what: the new probe is hit" test "$(hits $((n + 2)))" -ge 10
		run unregister $n-$((n + 2))
		n=$((n + 3))
	done
done

set_probe $n pid=$pid vaddr=$work action=skip other=4
run register $n
is "$(step call 2)" "call 5" "a handler that may sleep can skip the instruction"
run unregister $n
set_probe $n flags=1
run register $n
is "$(step call 2)" "call 5" "an atomic handler can skip the instruction"
run unregister $n
is "$(step call 2)" "call 605" "after unregistering, the instruction is not skipped"

around=$(step around)
for flags in 0 1; do
	n=$((n + 1))
	set_probe $n pid=$pid vaddr=$work returns=1 flags=$flags action=skip other=6
	run register $n
	is "$around, $(step around)" "around 1310, around 310" "flags=$flags: a return handler can skip an instruction"
	run unregister $n
	n=$((n + 1))
	set_probe $n pid=$pid vaddr=$work flags=$flags action=enable other=$n
	run register $n
	is "$(step call 2) $(hits $n)" "call 605 2" "flags=$flags: a handler cannot enable or disable a probe"
	run unregister $n
done

# The handler unregisters its probe while another call is already doing so.
n=$((n + 1))
set_probe $n pid=$pid vaddr=$work flags=0 action=linger other=500
run register $n
echo call 1 >&3
check "the handler waits for the other call" until_is 1 calls $n
run unregister $n
is "$(awk "\$1 == $n { print \$8, \$9 }" "$client_dir/state")" "1 0" \
	"when the other call returns, the callback has got the handler's unregistration"

# A task can be killed while its handler sleeps.
n=$((n + 1))
set_probe $n pid=$pid vaddr=$work flags=0 action=sleep other=500
run register $n
echo "call 100000" >&3
called() { [ "$(calls $1)" -gt 0 ]; }
wait_until "the handler is called" called $n
kill -9 "$pid"
end_steps 2>/dev/null
check "if a program is killed while its handler sleeps, its probe ends" until_is 0 registered $n
