#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: what a handler asks for is done, and the client's callback gets the result of that and of nothing else
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 57

# told N: print the number of callbacks; of the last one the result, if it was a registration, and the
# type.
told() { awk -v n="$1" '$1 == n { print $8, $9, $10, $11 }' $client_dir/state; }
callbacks() { field "$1" 8; }

steps
EBUSY=-16 EINVAL=-22 ESRCH=-3

# A direct call of the client gets no callback.
for returns in 0 1; do
	set_probe $returns pid="$pid" vaddr="$work" returns=$returns
	check "returns=$returns: the client registers a probe" run register $returns
	run disable $returns
	run enable $returns
	check_fails "returns=$returns: registering it again fails" run register $returns
	check "returns=$returns: the client unregisters it" run unregister $returns
	check "returns=$returns: unregistering it again is allowed" run unregister $returns
	check "returns=$returns: the client may report the end of its mapping" run unmap $returns
	is "$(callbacks $returns)" 0 "returns=$returns: none of these calls causes a callback"
done
set_probe 2 pid="$pid" vaddr=0x10
check_fails "registering an invalid probe fails" run register 2
is "$(callbacks 2)" 0 "the failed call causes no callback"
set_probe 3 returns=1
check "unregistering a return probe that was never registered is allowed" run unregister 3
set_probe 4 returns=1
check "unregistering several such probes is allowed" run unregister 3-4
is "$(callbacks 3) $(callbacks 4)" "0 0" "these calls cause no callback"

# asks WHAT VERB OTHER FIELD=VALUE...: the handler of a new probe asks once for VERB on probe OTHER.
n=10
asks() {
	how=$1 verb=$2 other=$3
	shift 3
	set_probe $n pid="$pid" vaddr="$work" action="$verb" other="$other" "$@"
	run register $n
	is "$(step call 1)" "call 301" "$how asks: $verb"
	run unregister $n
	n=$((n + 1))
}

# in_kind HOW FIELD=VALUE...: a handler registers a probe, registers it again, and unregisters it.
other=100
in_kind() {
	how=$1
	shift
	set_probe $other pid="$pid" vaddr="$nest" returns=$((other % 2))
	asks "$how" register $other "$@"
	check "$how: the probe is registered" until_is "1 0 1 $((other % 2))" told $other
	asks "$how" register $other "$@"
	check "$how: a second registration fails with EBUSY" until_is "2 $EBUSY 1 $((other % 2))" told $other
	asks "$how" unregister $other "$@"
	check "$how: the probe is unregistered" until_is "3 0 0 $((other % 2))" told $other
	other=$((other + 1))
}
in_kind "an entry handler" returns=1 entry=1 acts=1 flags=0
in_kind "an entry handler in the trap" returns=1 entry=1 acts=1 flags=1
in_kind "a task handler" acts=2 flags=1
in_kind "a task handler of a return" returns=1 acts=2 flags=1

# Registrations that fail.
set_probe 200 pid="$pid" vaddr=0x10
asks "a handler" register 200
check "the callback of a probe at an unmapped address gets EINVAL" until_is "1 $EINVAL 1 0" told 200
set_probe 201 pid=4194303 vaddr="$work" returns=1
asks "a handler" register 201
check "the callback of a return probe on a missing process gets ESRCH" until_is "1 $ESRCH 1 1" told 201
set_probe 202 pid="$pid" vaddr="$work" handler=0
asks "a handler" register 202
check "the callback of a probe without a handler gets EINVAL" until_is "1 $EINVAL 1 0" told 202
is "$(registered 200) $(registered 201) $(registered 202)" "0 0 0" "none of the three probes is registered"

# Probes without a callback.
set_probe 203 pid="$pid" vaddr="$work" callback=0
asks "a handler" register 203
check "without a callback: the probe is registered" until_is 1 registered 203
step call 3 >/dev/null
is "$(hits 203)" 3 "without a callback: the probe is hit"
asks "a handler" unregister 203
check "without a callback: the probe is unregistered" until_is 0 registered 203
set_probe 204 pid="$pid" vaddr=0x10 callback=0
asks "a handler" register 204
check "without a callback: a probe whose registration has failed can be unregistered" run unregister 204
is "$(registered 204) $(callbacks 203) $(callbacks 204)" "0 0 0" \
	"without a callback: an invalid probe is not registered"
end_steps
is $? 0 "the program ends with status 0"
