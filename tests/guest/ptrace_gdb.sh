#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: gdb's breakpoints, steps, calls and detaching do in a probed program what they do unprobed
# once: debuggers use what ptrace gives on all kernels
# full: gdb itself takes most of 40 s; ptrace_* do by themselves what it asks of the kernel
# timeout: 400
# needs: gdb
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"
ktap_plan 19

# debug ARGUMENT-OF-GDB...: with nobody's settings, and without what differs from run to run.
debug() {
	timeout 120 gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set auto-load off' "$@" 2>&1 </dev/null |
		sed -E '/^\[(New|Switching|Thread .* exited)/d; s/\(process [0-9]+\)/(process)/; s/LWP [0-9]+/LWP/'
}

# calls [EVENT]: of which N it was recorded, in ranges.
calls() {
	lines | sed -n "s/.* ${1:-tick}: .* n=//p" | sort -n | awk '
		NR > 1 && $1 == last + 1 { last = $1; next }
		NR > 1 { printf "%s-%s ", first, last }
		{ first = last = $1 }
		END { print first "-" last }'
}

# probes [LINE...]: are what there is.
probes() {
	local line

	clear
	for line; do
		define "$line"
	done
	[ $# = 0 ] || enable
}

# as_unprobed WHAT GDB-OPTION...: a session is.
as_unprobed() {
	local what=$1

	shift
	is "$(diff <(echo "$unprobed") <(session "$@"))" "" "$what"
}
clear
tick=$(where tick)
in_tick=$(objdump -d --disassemble=tick "$prog" | awk -F: '/^ +[0-9a-f]+:\t/ { print "0x" $1 }' | tr -d ' ')
first=${in_tick%%$'\n'*}

# All instructions of some calls and of what is between them, then a call by gdb itself. Without RF (bit
# 16 of the flags): a fault or an interrupt right before a breakpoint decides it, and a busy machine that.
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
like "$unprobed" 'exited normally' "a session with gdb, unprobed"
is "$(grep -c ' sp 0x' <<<"$unprobed")" 41 "goes from instruction to instruction"
probes "p:tick $tick n=%di:u64"
as_unprobed "the same with a probe on the function" -ex 'set displaced-stepping off'
is "$(calls)" "0-29 41-41" "which counts each call, that of gdb's as well"
: >$dir/trace
as_unprobed "the same where gdb steps over copies of instructions that have a breakpoint"
is "$(calls)" "0-2 8-29 41-41" "which are no hits, unless it came there by the breakpoint"
each=()
for insn in $in_tick; do
	each+=("p:tick_$insn ${tick%:*}:$((insn - first + ${tick##*:})) n=%di:u64")
done
probes "${each[@]}"
as_unprobed "the same with a probe on each of its instructions" -ex 'set displaced-stepping off'
for insn in $in_tick; do
	is "$(calls "tick_$insn")" "0-29 41-41" "all calls are counted at $insn"
done

# Returns: gdb looks for callers on the stack, and so is not asked for them.
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
is "$(diff <(echo "$unprobed" | sed 's/n=n@entry=/n=/') <(session))" "" "the same session with and without a return probe"
is "$(calls), $(calls back)" "0-29 41-41, 1-30 42-42" "which counts each return, that to gdb as well, and none twice"

# Ours comes and goes while gdb has its breakpoint there, and while it is at it.
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
as_unprobed "a probe comes and goes while gdb is at its breakpoint" -ex 'set displaced-stepping off'
is "$(calls)" "2-5 8-29" "it counts what is executed while it is there"
disable
: >$dir/trace
as_unprobed "it does where gdb steps over copies"
is "$(calls)" "3-5 8-29" "which is not executing it"

# From the breakpoint on by a copy of the instruction; then the breakpoint goes.
cat >"$tmp/script" <<'END'
break tick
run
stepi
delete
continue
END
: >$dir/trace
session >"$tmp/out"
is "$(calls)" "0-29" "the call after one that was stepped out of by a copy is counted, too"

# A program that runs already.
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
like "$(debug -p "$(<"$tmp/pid")" -x "$tmp/script")" 'Breakpoint 1, tick .*' "gdb attaches, and leaves it in a call"
wait $!
is "$?" 0 "it goes on without gdb"
is "$(lines | sed -n 's/.* n=//p' | sort | uniq -c | awk '{ print $1 }' | sort | uniq -c | xargs)" "1000 2" "and all calls are counted"
