#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: children execute the original text if probes are unregistered before, during or after their fork
# once: foreign_forked and fork_met cover the differences between kernels
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
# timeout: 120
rounds=${ROUNDS:-30}
ktap_plan 9

# start PROGRAM [PATTERN]: start it, and wait for a line that matches; sets pid and where.
start() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	: >"$out"
	"$progs/$1" <"$tmp/in" >"$out" &
	exec 3>"$tmp/in"
	until_is 1 grep -c "${2:-.}" "$out"
	read -r pid where <"$out"
}

# slowly COMMAND...: run COMMAND while a fork sleeps after copying the memory. Print the child's result.
slowly() {
	echo >&3
	until_is 1 grep -c sleeps "$out"
	"$@"
	echo >&3
	until_is 1 grep -c child "$out"
	tail -n 1 "$out"
	exec 3>&-
}

again() {
	run unregister 0 && run register 0 && run unregister 0
}

start slow_fork
set_probe 0 pid="$pid" vaddr="$where"
check "a probe is registered" run register 0
is "$(slowly run unregister 0)" "the child returned 16" \
	"a child is unharmed by a probe that is unregistered during the fork"
start slow_fork
set_probe 0 pid="$pid" vaddr="$where"
run register 0
is "$(slowly again)" "the child returned 16" \
	"a child is unharmed by a probe that is unregistered, registered and unregistered during the fork"
start slow_fork
set_probe 0 pid="$pid" vaddr="$where"
run register 0
run unregister 0
is "$(slowly run register 0)" "the child returned 16" \
	"a child is unharmed by a probe that is registered again during the fork"
check "the probe can be unregistered from the parent" run unregister 0

start forks_on '^$'
n=0
while read -r where; do
	[ -z "$where" ] || set_probe $((n++)) pid="$pid" vaddr="$where"
done < <(tail -n +2 "$out")
all=0-$((n - 1))
check "$n instructions are probed" run register "$all"
run unregister "$all"
echo >&3
failed=0
for ((i = 0; i < rounds; i++)); do
	# All probes, or those of some pages; always the one on the fork itself.
	some=$((i % 4 * 16))-$((n - 1))
	run register "$some" && run unregister "$some" || failed=$((failed + 1))
done
is $failed 0 "probes are registered and unregistered $rounds times while two threads fork"
exec 3>&-
wait "$pid"
like "$(tail -n 1 "$out")" '^[1-9][0-9]* children, 0 harmed$' "none of these threads' children is harmed"
start forks_on '^$'
set_probe 0 pid="$pid" vaddr="$(tail -n 2 "$out" | head -n 1)"
run register 0
echo >&3
run unregister 0
exec 3>&-
wait "$pid"
like "$(tail -n 1 "$out")" ' 0 harmed$' "no child is harmed if its fork is probed for a moment"
