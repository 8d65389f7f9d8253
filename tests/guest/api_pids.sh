#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: which processes can be named: threads, those in namespaces, zombies, kernel threads
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 9

# fails_with TEXT VERB N: running it fails with that error.
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
is "$(hits 0)" 4 "all of whose threads are probed"
run unregister 0

# A pid namespace: the program is number 1 or so in there.
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
check "a process in a pid namespace, from inside" until_is 1 registered 1
wait_until "it has told its number" test -s "$tmp/inner"
isnt "$(cat "$tmp/inner")" "$pid" "where it has another number"
echo "call 6" >&4
check "is the one that is probed" until_is 6 hits 1
exec 4>&-
wait $!

kthread=$(pgrep -x kthreadd)
set_probe 2 pid="$kthread" vaddr=$work
check "a kernel thread is refused" fails_with "Invalid argument" register 2
set_probe 2 pid=4194303
check "no such process" fails_with "No such process" register 2
sh -c 'sleep 0 & exec sleep 1000' &
sleeper=$!
check "a zombie comes about" until_is Z sh -c "ps -o stat= --ppid $sleeper | cut -c1"
set_probe 2 pid="$(ps -o pid= --ppid $sleeper | tr -d " ")"
check "and is refused" fails_with "Invalid argument" register 2
kill $sleeper
exec 3>&-
wait || :
