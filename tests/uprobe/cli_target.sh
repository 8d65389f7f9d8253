#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: -p, -L and -c probe only the named process, and with -f its children; paths may have colons and blanks
# once: the helper is the same on all kernels
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

t=$tmp/traced

# probed PID: true if there are breakpoints in the process.
probed() {
	"$UPROBES_TOP/build/progs/textcmp" "$1" | grep -q 'memory 0xcc$'
}

# untouched PID DESCRIPTION: one result: the process runs, and there is no breakpoint in it.
untouched() {
	check "$2" "$UPROBES_TOP/build/progs/textcmp" "$1"
}

# shown: print the process IDs of the recorded events.
shown() {
	sed -E 's/^ *.*-([0-9]+) +\[.*/\1/' "$tmp/out" | sort -u | xargs
}

# appear PID...: wait until an event of each process is shown, but not for ever.
appear() {
	local pid

	for pid; do
		in_time grep -q -e "-$pid *\[" "$tmp/out"
	done
}

ktap_plan 23
"$t" slow 100000 >/dev/null &
other=$!
mkfifo "$tmp/go" "$tmp/late"
# A process that has a child, then an orphan of a child of its own, and at last executes the program itself.
# shellcheck disable=SC2016
sh -c '"$0" slow 100000 & read -r line; ("$0" slow 100000 & echo $! >"$1.orphan"); read -r line; exec "$0" slow 100000' \
	"$t" "$tmp/pid" <"$tmp/go" >/dev/null &
parent=$!
exec 7>"$tmp/go"
has_child() { child=$(pgrep -P $parent); }
wait_until "the process has a child" has_child

start -p $other "p:$t:tick"
check "-p: the process is probed" in_time probed $other
untouched "$child" "-p: no other process is probed"
appear $other
stop
is "$(shown)" "$other" "-p: events of this process are shown"
like "$(cat "$tmp/err")" "^Ending tracing\.\.\. $(wc -l <"$tmp/out") events shown, $(wc -l <"$tmp/out") hits, 0 missed, 0 lost\.\$" \
	"-p: only this process's hits are counted, and all of them"

start -L $other "p:$t:tick"
untouched "$child" "-L: a process without the thread is not probed"
appear $other
stop
is "$(shown)" "$other" "-L: events of the thread's process are shown"

start -f -p $parent "p:$t:tick"
check "-f: an existing child is probed" in_time probed "$child"
untouched $other "-f: no other process is probed"
echo >&7
wait_until "there is an orphan" test -s "$tmp/pid.orphan"
orphan=$(cat "$tmp/pid.orphan")
check "-f: a later descendant is probed, even if its parent ends" in_time probed "$orphan"
echo >&7
check "-f: the program that the process executes is probed" in_time probed $parent
appear $parent "$child" "$orphan"
stop
is "$(shown)" "$(printf '%s\n' "$parent" "$child" "$orphan" | sort | xargs)" \
	"-f: events of all these processes are shown"

start -c "$t slow 100000" "p:$t:tick"
untouched $other "-c: no other process is probed"
kill "$(pgrep -P "$tracer" | head -n 1)"
wait "$tracer"
like "$(cat "$tmp/err")" " $(wc -l <"$tmp/out") hits, 0 missed, 0 lost\.\$" "-c: only the command's hits are counted"

start count -c "$t slow 100000" "p:$t:tick"
untouched $other "count -c: no other process is probed"
kill "$(pgrep -P "$tracer" | head -n 1)"
wait "$tracer"
start count -f -p $parent "p:$t:tick"
check "count -f: a child is probed" in_time probed "$child"
untouched $other "count -f: no other process is probed"
stop
kill $other $parent "$child" "$orphan"

mkdir "$tmp/a:b c"
cp "$t" "$tmp/a:b c"
"$tmp/a:b c/traced" slow 100000 >/dev/null &
other=$!
start "p:\"$tmp/a:b c/traced\":tick"
wait_until "an event is shown" test -s "$tmp/out"
stop
is "$(shown)" "$other" "a path with a colon and a blank is traced"
kill $other
uprobe count -c "'$tmp/a:b c/traced' say x" "p:$tmp/a\\072b\\040c/traced:text" >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out")" ' 1  text$' "calls in such a path are counted"

# A process whose first thread has ended.
rm "$tmp/go"
mkfifo "$tmp/go"
"$UPROBES_TOP/build/progs/steps" <"$tmp/go" >"$tmp/said" &
other=$!
exec 7>"$tmp/go"
echo leave >&7
first_ended() { grep -q '^State:.*Z' "/proc/$other/status" && grep -q left "$tmp/said"; }
wait_until "its first thread has ended" first_ended
start -p $other -M 3 p:steps:work
echo call 3 >&7
wait_until "three events are shown" ended "$tracer"
is "$(wc -l <"$tmp/out")" 3 "-p: a process whose first thread has ended is traced"
exec 7>&-

# A program with a file of a FUSE mount that only its user may read.
[ -e /dev/fuse ] || modprobe fuse 2>/dev/null
if [ -e /dev/fuse ]; then
	mkdir "$tmp/dir"
	chmod 755 "$tmp"
	rm "$tmp/go"
	mkfifo "$tmp/go"
	"$UPROBES_TOP/build/progs/fused" "$tmp/dir" 65534 <"$tmp/go" >"$tmp/said" &
	exec 7>"$tmp/go"
	echo serve >&7
	wait_until "the file system is there" grep -q done "$tmp/said"
	read -r _ other at _ <"$tmp/said"
	uprobe offset "$tmp/dir/text" main 2>"$tmp/err"
	like "$? $(cat "$tmp/err")" "^5 .*/dir/text cannot be read: it is on a FUSE mount without allow_other" \
		"FUSE: the message says why root cannot read the file"
	uprobe offset -p "$other" text main 2>"$tmp/err"
	like "$? $(head -n 1 "$tmp/err")" "^5 .*user of process $other may read.*; add $at to the offset .*p:/proc/$other/mem:0xSUM:\$" \
		"FUSE: with -p, it has the address of the file in the process"
	command=$(sed -n 's/^  \(setpriv .* uprobe offset -p .* text \)FUNCTION$/\1 main/p' "$tmp/err")
	like "$($command 2>&1)" '/dir/text is not an ELF file' "FUSE: with the command of the message, the user reads the file"
	start count -p "$other" "p:/proc/$other/mem:$at"
	echo call >&7
	wait_until "the program has called the function" grep -qx 42 "$tmp/said"
	stop
	like "$(cat "$tmp/out")" ' 1  ' "FUSE: a probe on that address is hit"
	exec 7>&-
else
	for what in 1 2 3 4; do skip "FUSE $what" "this kernel has no FUSE"; done
fi
