#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if the kernel's uprobes may replace a nop by a call, they and our probes can come and go in any order
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

theirs=/sys/kernel/tracing
[ -e $theirs/uprobe_events ] || skip_all "this kernel has no uprobe_events"

prog=$tmp/nop10
cp "$progs/nop10" "$prog"
offset=0x$(symbol "$prog" nops)
echo "p:nops $prog:$offset" >$theirs/uprobe_events
at_exit 'echo 0 >$theirs/events/uprobes/nops/enable; echo >$theirs/uprobe_events'
# Kernels before 6.18 do not know the prefixes of this nop. They refuse it when a process maps it.
mkfifo "$tmp/hold"
: >"$out"
"$prog" <"$tmp/hold" >"$out" &
exec 4>"$tmp/hold"
wait_for ready
{ echo 1 >$theirs/events/uprobes/nops/enable; } 2>/dev/null ||
	skip_all "this kernel's uprobes refuse such a nop"
echo 0 >$theirs/events/uprobes/nops/enable
exec 4>&-
ktap_plan 21

start() {
	start_program ready "$prog"
	rounds=0
	begun=$(theirs_hits)
}

# round WHAT OURS THEIRS: make ten calls; then our probe has OURS hits, the kernel's uprobe THEIRS. One result.
round() {
	echo >&3
	rounds=$((rounds + 1))
	in_time grep -q "^sum $((75 * rounds))\$" "$out"
	is "$? $(hits "$probe") $(($(theirs_hits) - begun))" "0 $2 $3" "$1"
}

theirs_hits() { awk '$2 == "nops" { print $3 + 0 }' $theirs/uprobe_profile; }
has() { "$progs/textcmp" $pid | grep -q "memory $1"; }
enable() { echo $1 >$theirs/events/uprobes/nops/enable; }

# end WHAT: end the program. The kernel may leave a jump where its call was.
end() {
	check_fails "$1: no breakpoint is left" has 0xcc
	exec 3>&-
	wait $pid
	is $? 0 "$1: the program ends with status 0"
	rm "$tmp/in"
}

set_probe 0 path="$prog" offset="$offset" flags=1

probe=0
start
run register 0
round "our probe first: it is hit" 10 0
enable 1
round "our probe first, then the kernel's uprobe: both are hit" 20 10
round "both stay breakpoints, and are hit" 30 20
enable 0
round "the kernel's uprobe is disabled: our probe is hit" 40 20
enable 1
round "the kernel's uprobe is enabled again: both are hit" 50 30
run unregister 0
round "our probe is unregistered: the kernel's uprobe is hit" 50 40
round "the kernel's uprobe alone is hit again" 50 50
enable 0
round "our probe first: after both, there is no hit" 50 50
end "our probe first"

# If our probe comes second, the kernel may have replaced its breakpoint by a call.
probe=1
start
set_probe 1 pid="$pid" vaddr="$(symbol_in "$pid" "$prog" nops)" flags=1
enable 1
round "the kernel's uprobe first: it is hit" 0 10
round "the kernel's uprobe first: it is hit again" 0 20
if has 0xe8; then
	said=$(run register 1 2>&1)
	like "$said" ": File exists\$" "if the kernel's uprobe is a call, our probe is refused"
	call=yes mine=0
else
	check "if the kernel's uprobe is a breakpoint, our probe is registered" run register 1
	call= mine=10
fi
round "the kernel's uprobe is hit, and our probe if it is registered" $mine 30
round "the same again" $((2 * mine)) 40
enable 0
if [ "$call" ]; then
	check "the kernel's uprobe is disabled: our probe is not refused any more" run register 1
else
	check "the kernel's uprobe is disabled: our breakpoint is inserted again" in_time has 0xcc
fi
round "our probe alone is hit" $((2 * mine + 10)) 40
run unregister 1
round "the kernel's uprobe first: after both, there is no hit" $((2 * mine + 10)) 40
enable 1
round "the kernel's uprobe is enabled again, and is hit" $((2 * mine + 10)) 50
enable 0
end "the kernel's uprobe first"
