#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: gdb's breakpoints, steps, calls and detaching work in a probed program as in an unprobed one
# once: gdb uses what ptrace offers on all kernels
# full: gdb itself takes most of 40 s; ptrace_* make the same requests without it
# timeout: 400
# needs: gdb
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
ktap_plan 19

# debug ARGUMENT-OF-GDB...: run gdb without settings of a user; drop what differs between runs.
debug() {
	timeout $((120 * ${TEST_TIMEOUT_SCALE:-1})) gdb -nx -batch -ex 'set debuginfod enabled off' \
		-ex 'set auto-load off' "$@" 2>&1 </dev/null |
		sed -E '/^\[(New|Switching|Thread .* exited)/d; s/\(process [0-9]+\)/(process)/; s/LWP [0-9]+/LWP/'
}

# calls [EVENT]: print the arguments N with which it was recorded, as ranges.
calls() {
	lines | sed -n "s/.* ${1:-tick}: .* n=//p" | sort -n | awk '
		NR > 1 && $1 == last + 1 { last = $1; next }
		NR > 1 { printf "%s-%s ", first, last }
		{ first = last = $1 }
		END { print first "-" last }'
}

# probes [LINE...]: define and enable these probes, and remove all others.
probes() {
	local line

	clear
	for line; do
		define "$line"
	done
	[ $# = 0 ] || enable
}

# as_unprobed WHAT GDB-OPTION...: a session has the same output as unprobed. One result.
as_unprobed() {
	local what=$1

	shift
	is "$(diff <(echo "$unprobed") <(session "$@"))" "" "$what"
}
clear
tick=$(where tick)
in_tick=$(objdump -d --disassemble=tick "$prog" | awk -F: '/^ +[0-9a-f]+:\t/ { print "0x" $1 }' | tr -d ' ')
first=${in_tick%%$'\n'*}

# gdb steps through all instructions of some calls and of the code between them, then makes a call itself.
# Leave out RF (bit 16 of the flags): it depends on faults and interrupts right before a breakpoint.
cat >"$tmp/script" <<'END'
break tick
ignore 1 2
run
set $i = 0
while $i < 40
	printf "%#lx sp %#lx ax %#lx di %#lx flags %#x\n", $pc, $sp, $rax, $rdi, $eflags & ~0x10000
	stepi
	set $i = $i + 1
end
disable
call tick(41)
printf "%#lx sp %#lx ax %#lx di %#lx flags %#x\n", $pc, $sp, $rax, $rdi, $eflags & ~0x10000
enable
ignore 1 1
continue
finish
info breakpoints
delete
continue
END
session() {
	debug "$@" -x "$tmp/script" --args "$prog" ticks 1 30
}
unprobed=$(session)
like "$unprobed" 'exited normally' "unprobed, the program exits normally under gdb"
is "$(grep -c ' sp 0x' <<<"$unprobed")" 41 "unprobed, gdb steps from instruction to instruction"
probes "p:tick $tick n=%di:u64"
as_unprobed "with a probe on the function, the session is the same as unprobed" -ex 'set displaced-stepping off'
is "$(calls)" "0-29 41-41" "the probe counts each call, the one by gdb as well"
: >$dir/trace
as_unprobed "with a probe and displaced stepping, the session is the same as unprobed"
is "$(calls)" "0-2 8-29 41-41" "a copy that gdb executes is a hit only if the thread came there by the breakpoint"
each=()
for insn in $in_tick; do
	each+=("p:tick_$insn ${tick%:*}:$((insn - first + ${tick##*:})) n=%di:u64")
done
probes "${each[@]}"
as_unprobed "with a probe on each instruction of the function, the session is the same as unprobed" \
	-ex 'set displaced-stepping off'
for insn in $in_tick; do
	is "$(calls "tick_$insn")" "0-29 41-41" "the probe at $insn counts each call"
done

# Return probes. gdb looks for callers on the stack, so this session does not ask for them.
cat >"$tmp/script" <<'END'
break tick
ignore 1 2
run
p $rdi
stepi
p $rax
delete
call tick(41)
break give
continue
END
unprobed=$(session)
probes "p:tick $tick n=%di:u64" "r:back $tick n=\$retval:u64"
is "$(diff <(echo "$unprobed" | sed 's/n=n@entry=/n=/') <(session))" "" \
	"with a return probe, the session is the same as unprobed"
is "$(calls), $(calls back)" "0-29 41-41, 1-30 42-42" "the return probe counts each return once, the one to gdb as well"

# Enable and disable our probe while gdb has a breakpoint at its place, and while the thread is there.
cat >"$tmp/script" <<END
break tick
ignore 1 2
run
shell echo 1 >$dir/events/enable
ignore 1 2
continue
shell echo 0 >$dir/events/enable
ignore 1 2
continue
shell echo 1 >$dir/events/enable
delete
continue
END
probes
unprobed=$(session)
define "p:tick $tick n=%di:u64"
as_unprobed "enabling and disabling a probe under gdb's breakpoint does not change the session" \
	-ex 'set displaced-stepping off'
is "$(calls)" "2-5 8-29" "the probe counts the calls that execute its instruction while it is enabled"
disable
: >$dir/trace
as_unprobed "enabling and disabling does not change a session with displaced stepping"
is "$(calls)" "3-5 8-29" "the probe does not count the call in which gdb executes a copy"

# gdb leaves its breakpoint by a copy of the instruction, then deletes the breakpoint.
cat >"$tmp/script" <<'END'
break tick
run
stepi
delete
continue
END
: >$dir/trace
session >"$tmp/out"
is "$(calls)" "0-29" "the call after one that gdb stepped through by a copy is counted, too"

# gdb attaches to a running program.
probes "p:tick $tick n=%di:u64"
mkfifo "$tmp/in"
"$prog" -w ticks 2 1000 <"$tmp/in" >"$tmp/pid" &
exec 3>"$tmp/in"
wait_until "the program waits" test -s "$tmp/pid"
cat >"$tmp/script" <<'END'
break tick
shell echo go >&3
ignore 1 20
continue
detach
END
like "$(debug -p "$(<"$tmp/pid")" -x "$tmp/script")" 'Breakpoint 1, tick .*' "gdb attaches, stops in a call and detaches"
wait $!
is "$?" 0 "the program goes on without gdb and ends with status 0"
is "$(lines | sed -n 's/.* n=//p' | sort | uniq -c | awk '{ print $1 }' | sort | uniq -c | xargs)" "1000 2" \
	"the probe counts all calls before, under and after gdb"
