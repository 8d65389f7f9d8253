#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a pid may name a thread or a process in a pid namespace, but no zombie and no kernel thread
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 9

# fails_with TEXT VERB N: true if VERB of probe N fails with this error.
fails_with() {
	LC_ALL=C bash -c "echo '$2 $3' >$client_dir/run" 2>"$tmp/error" && return 1
	grep -q "$1" "$tmp/error" || { cat "$tmp/error"; return 1; }
}

steps
set_probe 0 pid=$pid vaddr=$work
step leave >/dev/null
thread=$(ls "/proc/$pid/task" | grep -vx "$pid")
set_probe 0 pid="$thread" vaddr=$work
check "a thread's id names its process" run register 0
step call 4 >/dev/null
is "$(hits 0)" 4 "all threads of the process are probed"
run unregister 0

# A pid namespace, in which the program has a low pid.
mkfifo "$tmp/in2"
unshare -pf --mount-proc sh -c "
	'$progs/steps' <'$tmp/in2' >'$tmp/out2' &
	until [ -s '$tmp/out2' ]; do sleep 0.1; done
	read -r pid work rest <'$tmp/out2'
	echo \"1 pid=\$pid vaddr=\$work\" >$client_dir/set
	echo 'register 1' >$client_dir/run || exit
	echo \$pid >'$tmp/inner'
	wait" &
exec 4>"$tmp/in2"
check "inside a pid namespace, a pid of the namespace can be probed" until_is 1 registered 1
wait_until "the process has told its pid" test -s "$tmp/inner"
isnt "$(cat "$tmp/inner")" "$pid" "this pid differs from the one outside"
echo "call 6" >&4
check "the process in the namespace is probed" until_is 6 hits 1
exec 4>&-
wait $!

kthread=$(pgrep -x kthreadd)
set_probe 2 pid="$kthread" vaddr=$work
check "a kernel thread is refused" fails_with "Invalid argument" register 2
set_probe 2 pid=4194303
check "a pid without a process is refused" fails_with "No such process" register 2
sh -c 'sleep 0 & exec sleep 1000' &
sleeper=$!
check "a process becomes a zombie" until_is Z sh -c "ps -o stat= --ppid $sleeper | cut -c1"
set_probe 2 pid="$(ps -o pid= --ppid $sleeper | tr -d " ")"
check "a zombie is refused" fails_with "Invalid argument" register 2
kill $sleeper
exec 3>&-
wait || :
