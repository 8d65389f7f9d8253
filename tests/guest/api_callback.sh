#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: what handlers of each kind have asked for is done, and the client, if it wants to be, is told what came of that, and of nothing else
# once: what decides here is the module, in the same way on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 57

# told N: how often, what came of the last one, whether it was a registration, of which type.
told() { awk -v n="$1" '$1 == n { print $8, $9, $10, $11 }' $client_dir/state; }
callbacks() { field "$1" 8; }

steps
EBUSY=-16 EINVAL=-22 ESRCH=-3

# Who asks for it himself is not told.
for returns in 0 1; do
	set_probe $returns pid="$pid" vaddr="$work" returns=$returns
	check "returns=$returns: a client registers" run register $returns
	run disable $returns
	run enable $returns
	check_fails "returns=$returns: and once more" run register $returns
	check "returns=$returns: and unregisters" run unregister $returns
	check "returns=$returns: and once more" run unregister $returns
	check "returns=$returns: and has the mapping's end be known" run unmap $returns
	is "$(callbacks $returns)" 0 "returns=$returns: it has not been told of any of that"
done
set_probe 2 pid="$pid" vaddr=0x10
check_fails "one that cannot be registered" run register 2
is "$(callbacks 2)" 0 "has an error, and no more"
set_probe 3 returns=1
check "a return probe that never was registered is unregistered" run unregister 3
set_probe 4 returns=1
check "several" run unregister 3-4
is "$(callbacks 3) $(callbacks 4)" "0 0" "which is told to nobody"

# asks WHAT VERB OTHER FIELD=VALUE...: a probe has its handler ask for something, once.
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

# in_kind HOW FIELD=VALUE...: one registration, one more, one unregistration.
other=100
in_kind() {
	how=$1
	shift
	set_probe $other pid="$pid" vaddr="$nest" returns=$((other % 2))
	asks "$how" register $other "$@"
	check "$how: it is registered" until_is "1 0 1 $((other % 2))" told $other
	asks "$how" register $other "$@"
	check "$how: a second time it cannot be" until_is "2 $EBUSY 1 $((other % 2))" told $other
	asks "$how" unregister $other "$@"
	check "$how: it is unregistered" until_is "3 0 0 $((other % 2))" told $other
	other=$((other + 1))
}
in_kind "an entry handler" returns=1 entry=1 acts=1 flags=0
in_kind "an entry handler in the trap" returns=1 entry=1 acts=1 flags=1
in_kind "a task handler" acts=2 flags=1
in_kind "a task handler of a return" returns=1 acts=2 flags=1

# What cannot be registered.
set_probe 200 pid="$pid" vaddr=0x10
asks "a handler" register 200
check "it is told that nothing is mapped there" until_is "1 $EINVAL 1 0" told 200
set_probe 201 pid=4194303 vaddr="$work" returns=1
asks "a handler" register 201
check "it is told that there is no such process" until_is "1 $ESRCH 1 1" told 201
set_probe 202 pid="$pid" vaddr="$work" handler=0
asks "a handler" register 202
check "it is told that it has no handler" until_is "1 $EINVAL 1 0" told 202
is "$(registered 200) $(registered 201) $(registered 202)" "0 0 0" "none of them is registered"

# Who does not want to be told.
set_probe 203 pid="$pid" vaddr="$work" callback=0
asks "a handler" register 203
check "without a callback: it is registered" until_is 1 registered 203
step call 3 >/dev/null
is "$(hits 203)" 3 "without a callback: and hit"
asks "a handler" unregister 203
check "without a callback: it is unregistered" until_is 0 registered 203
set_probe 204 pid="$pid" vaddr=0x10 callback=0
asks "a handler" register 204
check "without a callback: one that cannot be registered" run unregister 204
is "$(registered 204) $(callbacks 203) $(callbacks 204)" "0 0 0" "without a callback: is not"
end_steps
is $? 0 "the program ends well"
