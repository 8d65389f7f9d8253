#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: where the kernel's own uprobes may make a call of a nop, they and ours come and go in any order
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"

theirs=/sys/kernel/tracing
[ -e $theirs/uprobe_events ] || skip_all "this kernel has no uprobe_events"

prog=$tmp/nop10
cp "$progs/nop10" "$prog"
offset=0x$(symbol "$prog" nops)
echo "p:nops $prog:$offset" >$theirs/uprobe_events
at_exit 'echo 0 >$theirs/events/uprobes/nops/enable; echo >$theirs/uprobe_events'
# Kernels before 6.18 do not know prefixes of it, and say so where somebody maps it.
mkfifo "$tmp/hold"
: >"$out"
"$prog" <"$tmp/hold" >"$out" &
exec 4>"$tmp/hold"
wait_for ready
{ echo 1 >$theirs/events/uprobes/nops/enable; } 2>/dev/null ||
	skip_all "this kernel's own uprobes refuse such a nop"
echo 0 >$theirs/events/uprobes/nops/enable
exec 4>&-
ktap_plan 21

start() {
	mkfifo "$tmp/in"
	: >"$out"
	"$prog" <"$tmp/in" >"$out" &
	pid=$!
	exec 3>"$tmp/in"
	wait_for ready
	rounds=0
	begun=$(theirs_hits)
}

# round WHAT OURS THEIRS: ten calls, after which either has had so many hits.
round() {
	echo >&3
	rounds=$((rounds + 1))
	in_time grep -q "^sum $((75 * rounds))\$" "$out"
	is "$? $(hits "$probe") $(($(theirs_hits) - begun))" "0 $2 $3" "$1"
}

theirs_hits() { awk '$2 == "nops" { print $3 + 0 }' $theirs/uprobe_profile; }
has() { "$progs/textcmp" $pid | grep -q "memory $1"; }
enable() { echo $1 >$theirs/events/uprobes/nops/enable; }

# end WHAT: the kernel may leave a jump over what was its call.
end() {
	check_fails "$1: no breakpoint is left" has 0xcc
	exec 3>&-
	wait $pid
	is $? 0 "$1: it ends well"
	rm "$tmp/in"
}

set_probe 0 path="$prog" offset="$offset" flags=1

probe=0
start
run register 0
round "ours" 10 0
enable 1
round "theirs comes" 20 10
round "and stays a breakpoint" 30 20
enable 0
round "theirs goes" 40 20
enable 1
round "theirs is back" 50 30
run unregister 0
round "ours goes" 50 40
round "theirs alone" 50 50
enable 0
round "neither" 50 50
end "ours first"

# Where ours comes later, the kernel may have made a call of its breakpoint.
probe=1
start
set_probe 1 pid="$pid" vaddr="$(symbol_in "$pid" "$prog" nops)" flags=1
enable 1
round "theirs" 0 10
round "theirs again" 0 20
if has 0xe8; then
	said=$(run register 1 2>&1)
	like "$said" ": File exists\$" "theirs is a call: ours is refused"
	call=yes mine=0
else
	check "theirs is a breakpoint: ours comes" run register 1
	call= mine=10
fi
round "the program goes on" $mine 30
round "and on" $((2 * mine)) 40
enable 0
if [ "$call" ]; then
	check "theirs goes: ours is not refused any more" run register 1
else
	check "theirs goes: ours is put in its place" in_time has 0xcc
fi
round "ours alone" $((2 * mine + 10)) 40
run unregister 1
round "neither" $((2 * mine + 10)) 40
enable 1
round "theirs anew" $((2 * mine + 10)) 50
enable 0
end "theirs first"
