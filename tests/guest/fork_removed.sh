#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: children run the file's text when probes go before, during and after their fork
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
# timeout: 120
rounds=${ROUNDS:-30}
ktap_plan 9

# start PROGRAM: sets pid and where.
start() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	: >"$out"
	"$progs/$1" <"$tmp/in" >"$out" &
	exec 3>"$tmp/in"
	until_is 1 grep -c "${2:-.}" "$out"
	read -r pid where <"$out"
}

# slowly: how the child fares of a fork that sleeps behind the copy while "$@" is run.
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
is "$(slowly run unregister 0)" "the child returned 16" "removed while the fork is under way"
start slow_fork
set_probe 0 pid="$pid" vaddr="$where"
run register 0
is "$(slowly again)" "the child returned 16" "removed, put in and removed again meanwhile"
start slow_fork
set_probe 0 pid="$pid" vaddr="$where"
run register 0
run unregister 0
is "$(slowly run register 0)" "the child returned 16" "removed before, put in meanwhile"
check "and the parent can be left alone" run unregister 0

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
	# All, or those of some pages; the fork itself always.
	some=$((i % 4 * 16))-$((n - 1))
	run register "$some" && run unregister "$some" || failed=$((failed + 1))
done
is $failed 0 "$rounds times probes come and go while two threads fork"
exec 3>&-
wait "$pid"
like "$(tail -n 1 "$out")" '^[1-9][0-9]* children, 0 harmed$' "no child has been harmed"
start forks_on '^$'
set_probe 0 pid="$pid" vaddr="$(tail -n 2 "$out" | head -n 1)"
run register 0
echo >&3
run unregister 0
exec 3>&-
wait "$pid"
like "$(tail -n 1 "$out")" ' 0 harmed$' "nor one whose fork is probed for a moment"
