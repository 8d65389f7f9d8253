#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a child that is probed before it runs does not use slots that its parent got after the fork
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/slow.inc"
ktap_plan 6

libc=$(readlink -f "$(ldd "$progs/steps" | awk '/libc.so/ { print $3 }')")

# area PID: print the address range of the first SSOL area, which is near the text.
area() {
	awk '/\[uprobes\]/ { print $1; exit }' "/proc/$1/maps"
}

# The very first probe takes longer than the child can be held back: register one before.
steps
set_probe 0 pid=$pid vaddr="$work"
run register 0
run unregister 0
end_steps

for try in $(seq 20); do
	steps
	plain=$(step call 3)
	# Make the parent a probed mm, without an SSOL area near its text.
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
check "the child has not run when it is probed" [ $held = 0 ]
is "${places% *}" "${places#* }" "the child has its own SSOL area at the address of its parent's area"
# Wait until the child sleeps: then its task work has run.
until_is S awk '{ print $3 }' "/proc/$child/stat"
set_probe 4 pid="$child" vaddr="$work" flags=1
check "an address that is probed in the parent can be probed in the child" run register 4
kill -USR1 "$child"
until_is 1 grep -c "^into" "$out"
is "$(grep "^into" "$out")" "into ${plain#call }" "the child has the right result"
is "$(hits 2) $(hits 3) $(hits 4)" "0 3 3" "the child's probes have its hits, and the parent's probe none"
end_steps
is $? 0 "the program ends with status 0"
