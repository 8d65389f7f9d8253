#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a child that is probed before it runs does not take its parent's later slots for its own
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
. "$UPROBES_TOP/tests/guest/slow.inc"
ktap_plan 6

libc=$(readlink -f "$(ldd "$progs/steps" | awk '/libc.so/ { print $3 }')")

# area PID: the first area in its memory, which is near the text.
area() {
	awk '/\[uprobes\]/ { print $1; exit }' "/proc/$1/maps"
}

# The first probe takes time that the child does not wait.
steps
set_probe 0 pid=$pid vaddr="$work"
run register 0
run unregister 0
end_steps

for try in $(seq 20); do
	steps
	plain=$(step call 3)
	# So that the parent is known, with nothing of ours near its text.
	set_probe 1 pid=$pid vaddr="$(symbol_in "$pid" "$libc" getpid)"
	run register 1
	hold_back
	child=$(step into $slow)
	child=${child#child }
	set_probe 2 pid=$pid vaddr="$work"
	set_probe 3 pid="$child" vaddr="$second" flags=1
	run register 2
	run register 3
	held "$child"
	held=$?
	places="$(area $pid) $(area "$child")"
	let_go
	[ $held != 0 ] || break
	kill -9 "$child"
	run unregister 1-2
	end_steps
done
check "the child is still on its way from the fork when it is probed" [ $held = 0 ]
is "${places% *}" "${places#* }" "it has an area of its own where its parent has one"
# Not before it has seen to itself.
until_is S awk '{ print $3 }' "/proc/$child/stat"
set_probe 4 pid="$child" vaddr="$work" flags=1
check "a place that is probed in its parent is probed in it" run register 4
kill -USR1 "$child"
until_is 1 grep -c "^into" "$out"
is "$(grep "^into" "$out")" "into ${plain#call }" "it executes what is there"
is "$(hits 2) $(hits 3) $(hits 4)" "0 3 3" "and each probe has its hits"
end_steps
is $? 0 "the program ends well"
