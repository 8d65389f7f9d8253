#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: exec and exit end the probes on a process, even if the client unregisters them at the same time
# once: others cover how each kernel forks, ends and dumps: fork_met, api_started, core_stat
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 20

steps
set_probe 0 pid=$pid vaddr=$work
set_probe 1 pid=$pid vaddr=$work flags=1
set_probe 2 pid=$pid vaddr=$work flags=2
set_probe 3 pid=$pid vaddr=$nest returns=1
run register 0
run register 1
run register 2
run register 3
step call 7 >/dev/null
check "exec: the program executes itself" step exec
check "exec: the probe ends" until_is 0 registered 0
check "exec: the atomic probe ends" until_is 0 registered 1
check "exec: the disabled probe ends" until_is 0 registered 2
check "exec: the return probe ends" until_is 0 registered 3
is "$(hits 0)" 7 "exec: an ended probe keeps its count"
check "exec: unregistering an ended probe is allowed" run unregister 0
read -r pid work nest second <<-END
	$(tail -n 1 "$out")
END
set_probe 0 pid=$pid vaddr=$work
check "exec: the probe can be registered on the new program" run register 0
is "$(step call 5)" "call 1535" "exec: the new program's result is right"
is "$(hits 0)" 12 "exec: the new program's calls are counted"

# The first thread, whose id is the pid, ends; the process does not.
step leave >/dev/null
step call 5 >/dev/null
is "$(hits 0)" 17 "the first thread's exit does not end the probe"
set_probe 1 pid=$pid vaddr=$second
check "the process can still be probed by its pid" run register 1
set_probe 2 pid=$pid vaddr=$work flags=2
set_probe 3 pid=$pid vaddr=$nest returns=1
run register 2
run register 3
end_steps
check "exit: the probe ends" until_is 0 registered 0
check "exit: the atomic probe ends" until_is 0 registered 1
check "exit: the disabled probe ends" until_is 0 registered 2
check "exit: the return probe ends" until_is 0 registered 3
is "$(awk '{ told += $8 } END { print told }' $client_dir/state)" 0 "none of these ends causes a callback"

rounds=4
[ -z "${FULL:-}" ] || rounds=20

# race COMMAND: start the program; the client unregisters its probes, $i and $i + 100, during COMMAND.
race() {
	steps
	set_probe $i pid=$pid vaddr=$work
	set_probe $((i + 100)) pid=$pid vaddr=$nest returns=1
	run register $i
	run register $((i + 100))
	echo "$1" >&3
	[ $((i % 2)) = 0 ] || sleep 0.0$((i % 7))
	run unregister $i
	run unregister $((i + 100))
}

for i in $(seq $rounds); do
	race "exit 3"
	wait $!
done
is "$(awk '$1 && $2' $client_dir/state)" "" \
	"if the client unregisters while the program exits, no probe stays registered"

for i in $(seq $rounds); do
	race exec
	until_is 2 lines
	[ "$(step call 2)" = "call 605" ] || echo "$i harmed" >>"$tmp/harmed"
	end_steps
done
is "$(awk '$1 && $2' $client_dir/state)$(cat "$tmp/harmed" 2>/dev/null)" "" \
	"if the client unregisters during an exec, no probe stays registered and the program is unharmed"
is "$(awk '$4' $client_dir/state)" "" "no miss is counted"
