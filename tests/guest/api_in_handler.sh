#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: handlers sleep, change the ip, register and unregister themselves and others
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 34

# told N: how often the client was told of something, what came of that, whether it was a
# registration, and of which type.  told_type N: the latter two; later calls are told EBUSY.
told() { awk -v n="$1" '$1 == n { print $8, $9, $10, $11 }' $client_dir/state; }
told_type() { told "$1" | cut -d' ' -f3-; }

steps
plain=$(step call 10)
n=0
for flags in 0 1; do
	for returns in 0 1; do
		what="flags=$flags returns=$returns"
		# Both at the same place: n unregisters itself, n+1 registers n+2.
		set_probe $n pid=$pid vaddr=$work flags=$flags returns=$returns action=unregister other=$n
		set_probe $((n + 1)) pid=$pid vaddr=$work flags=$flags returns=$returns action=register other=$((n + 2))
		set_probe $((n + 2)) pid=$pid vaddr=$((returns ? nest : second)) flags=$flags returns=$returns
		run register $n-$((n + 1))
		is "$(step call 10)" "$plain" "$what: the program's result is right"
		check "$what: a handler has unregistered itself" until_is 0 registered $n
		check "$what: and is told" until_is "1 0 0 $returns" told $n
		check "$what: a handler has registered another probe" until_is 1 registered $((n + 2))
		check "$what: which is told" until_is "1 $returns" told_type $((n + 2))
		step call 10 >/dev/null
		step nest 10 >/dev/null
		check "$what: which is called" test "$(hits $((n + 2)))" -ge 10
		run unregister $n-$((n + 2))
		n=$((n + 3))
	done
done

set_probe $n pid=$pid vaddr=$work action=skip other=4
run register $n
is "$(step call 2)" "call 5" "a handler that may sleep skips the instruction"
run unregister $n
set_probe $n flags=1
run register $n
is "$(step call 2)" "call 5" "an atomic handler does"
run unregister $n
is "$(step call 2)" "call 605" "and nobody afterwards"

around=$(step around)
for flags in 0 1; do
	n=$((n + 1))
	set_probe $n pid=$pid vaddr=$work returns=1 flags=$flags action=skip other=6
	run register $n
	is "$around, $(step around)" "around 1310, around 310" "flags=$flags: a return handler skips an instruction"
	run unregister $n
	n=$((n + 1))
	set_probe $n pid=$pid vaddr=$work flags=$flags action=enable other=$n
	run register $n
	is "$(step call 2) $(hits $n)" "call 605 2" "flags=$flags: a handler enables and disables nothing"
	run unregister $n
done

# The handler asks when another call is already taking the probe away.
n=$((n + 1))
set_probe $n pid=$pid vaddr=$work flags=0 action=linger other=500
run register $n
echo call 1 >&3
check "a handler lingers" until_is 1 calls $n
run unregister $n
is "$(awk "\$1 == $n { print \$8, \$9 }" "$client_dir/state")" "1 0" \
	"and has been told that it is unregistered when the other call returns"

# What kills the task does not wait for the handler's wish to be granted.
n=$((n + 1))
set_probe $n pid=$pid vaddr=$work flags=0 action=sleep other=500
run register $n
echo "call 100000" >&3
called() { [ "$(calls $1)" -gt 0 ]; }
wait_until "its handler is called" called $n
kill -9 "$pid"
end_steps 2>/dev/null
check "a program is killed while its handler sleeps" until_is 0 registered $n
