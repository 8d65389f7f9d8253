#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: exec and exit end the probes on a process, without racing the client's own unregistering
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
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
check "exec: the program goes on" step exec
check "exec: the probe has ended by itself" until_is 0 registered 0
check "exec: also the atomic one" until_is 0 registered 1
check "exec: also the disabled one" until_is 0 registered 2
check "exec: also the return probe" until_is 0 registered 3
is "$(hits 0)" 7 "exec: its count is what it was"
check "exec: unregistering does nothing" run unregister 0
read -r pid work nest second <<-END
	$(tail -n 1 "$out")
END
set_probe 0 pid=$pid vaddr=$work
check "exec: it can be registered for the new program" run register 0
is "$(step call 5)" "call 1535" "exec: the new program's result is right"
is "$(hits 0)" 12 "exec: and its calls are counted"

# The thread that gave the process its number goes; the process does not.
step leave >/dev/null
step call 5 >/dev/null
is "$(hits 0)" 17 "the first thread's exit ends nothing"
set_probe 1 pid=$pid vaddr=$second
check "and the process can be probed by its number" run register 1
set_probe 2 pid=$pid vaddr=$work flags=2
set_probe 3 pid=$pid vaddr=$nest returns=1
run register 2
run register 3
end_steps
check "exit: the probe has ended by itself" until_is 0 registered 0
check "exit: also the atomic one" until_is 0 registered 1
check "exit: also the disabled one" until_is 0 registered 2
check "exit: also the return probe" until_is 0 registered 3
is "$(awk '{ told += $8 } END { print told }' $client_dir/state)" 0 "the client is told of none of these ends"

rounds=8
[ -z "${FULL:-}" ] || rounds=20
# The client unregisters just when the program exits.
for i in $(seq $rounds); do
	steps
	set_probe $i pid=$pid vaddr=$work
	set_probe $((i + 100)) pid=$pid vaddr=$nest returns=1
	run register $i
	run register $((i + 100))
	echo "exit 3" >&3
	[ $((i % 2)) = 0 ] || sleep 0.0$((i % 7))
	run unregister $i
	run unregister $((i + 100))
	wait $!
done
is "$(awk '$1 && $2' $client_dir/state)" "" "a client that unregisters at that moment"

# Or executes another program.
for i in $(seq $rounds); do
	steps
	set_probe $i pid=$pid vaddr=$work
	set_probe $((i + 100)) pid=$pid vaddr=$nest returns=1
	run register $i
	run register $((i + 100))
	echo "exec" >&3
	[ $((i % 2)) = 0 ] || sleep 0.0$((i % 7))
	run unregister $i
	run unregister $((i + 100))
	until_is 2 lines
	[ "$(step call 2)" = "call 605" ] || echo "$i harmed" >>"$tmp/harmed"
	end_steps
done
is "$(awk '$1 && $2' $client_dir/state)$(cat "$tmp/harmed" 2>/dev/null)" "" "or just when the program executes another one"
is "$(awk '$4' $client_dir/state)" "" "nothing was missed"
