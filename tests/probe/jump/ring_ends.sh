#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: hits in rings are recorded when a program forks, executes another one, ends or goes on for ever, and when the module goes
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/ring.inc"
rounds=1
[ -z "${FULL:-}" ] || rounds=3
ktap_plan $((26 + rounds))

begin() {
	clear
	define "p:calls $call a=%di:s32 b=%si:s64 c=\$comm"
	enable
	ringed
	check "$1: the place needs no trap" warm
	: >$dir/trace
}

end() {
	disable
	ringed_end
}

jump 1
begin rename
tell rename 50 >/dev/null
is "$(lines | sed 's/.* c=//' | sort | uniq -c | xargs)" '50 first 50 second' "each record has the name of its time"
end

begin fork
child=$(tell fork 300)
is "$(lines | sound)" 900 "a child and its parent have their own records"
is "$(lines | grep -c "a=$child ")" 300 "the child has all of its own"
end

begin exec
echo "exec 170" >&"${program[1]}"
read -r answer <&"${program[0]}"
is "$answer" "ready $pid" "the program is executed anew"
is "$(lines | sound)" 170 "the records of before are there"
tell run 1 30 >/dev/null
is "$(lines | wc -l)" 200 "and so are those of after"
end

# A thread that must not read the clock any more would die in a pad that does.
begin clock
is "$(tell forbid 60)" called "a program that forbids itself to read the clock does not notice"
is "$(lines | wc -l)" 240 "all its records are there"
is "$(jumps)" 0 "no place has a pad that reads the clock"
end

# A child of vfork() uses the rings of its parent.
begin vfork
child=$(tell spawn 80)
is "$(lines | sound)" 80 "the child's records are its own"
is "$(lines | grep -c "a=$child ")" 80 "they are all there"
end

# A thread that exits has no id any more when it loses the processor.
jump 1
ringed
thread=$(tell waiting)
exec 5<>$dir/session
echo "only tid $thread" >&5
echo "p:calls $call a=%di:s32 b=%si:s64" >&5
check "tid: the place needs no trap" warm
is "$(drain <&5 | sound)" 0 "other threads have no records"
tell "release 70" >/dev/null
is "$(drain <&5 | sound)" 70 "a thread that has exited has all of its records"
exec 5<&-
ringed_end

# The program ends with hits in its rings.
begin exit
echo "run 3 100" >&"${program[1]}"
ringed_end
is "$(lines | sound)" 300 "a program that has ended has all records"
disable

# A thread that never gives its processor away.
begin spin
tell spin 20 >/dev/null
is "$(lines | sound)" 20 "trace has the records of a thread that runs for ever"
: >$dir/trace
is "$(lines | wc -l)" 0 "after they are erased, they do not come back"
kill "$pid"
wait "$pid" 2>/dev/null
disable

# A reader that waits gets them soon.
jump 1
session_begin "session: the place needs no trap"
tell spin 20 >/dev/null
is "$(timeout $((10 * ${TEST_TIMEOUT_SCALE:-1})) head -n 20 <&5 | sound)" 20 "a reader that waits gets them"
kill "$pid"
wait "$pid" 2>/dev/null
exec 5<&-

# The module goes while threads write to their rings.
for round in $(seq $rounds); do
	jump 1
	exec 5<>$dir/session
	echo "p:calls $call a=%di:s32 b=%si:s64" >&5
	ringed
	warm >/dev/null
	echo "run 4 20000" >&"${program[1]}"
	sleep 0.3
	exec 5<&-
	rmmod uprobes_trace uprobes
	read -r answer <&"${program[0]}"
	is "$(wc -w <<<"$answer")" 4 "round $round: the program does not notice that the module goes"
	ringed_end
	load_module
done
