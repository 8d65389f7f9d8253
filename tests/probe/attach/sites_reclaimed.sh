#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: some seconds after its last probe, a process has no more sites and slots than before; sites in use stay
# full: it waits for passes that come five seconds after each other
# timeout: 600
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/charged.inc"

ktap_plan 23

# taken: print how much kernel memory the program takes, in bytes.
taken() { charged slab_unreclaimable slab_reclaimable; }
few() { [ "$(taken)" -le "$most" ]; }
# slots PID: print how much memory of its own a process has for slots, in KB, and in how many areas.
slots() {
	awk '/^[0-9a-f]+-/ { ours = /\[uprobes\]/; n += ours }
		ours && /^Private_/ { kb += $2 } END { print kb + 0, n + 0 }' "/proc/$1/smaps"
}
# count COMMAND...: count the calls of all functions of libc in $pid while COMMAND runs.
count() {
	: >"$tmp/told"
	uprobe count -p "$pid" 'libc:*' >"$tmp/counts" 2>"$tmp/told" &
	counting=$!
	wait_until "they are counted" grep -q Ctrl-C "$tmp/told"
	"$@"
	kill -INT $counting
	wait $counting
}

cat >"$tmp/in_group" <<END
#!/bin/sh
echo \$\$ >$group/cgroup.procs && exec "\$@"
END
chmod +x "$tmp/in_group"
as=$tmp/in_group
steps
before=$(settled taken)
# More than 2,000 sites, and a list of slots with what the kernel itself takes.
least=$((before + 300000)) most=$((before + 30000))

for round in 1 2 3; do
	count taken >"$tmp/during"
	check "round $round: sites take memory while calls are counted: $(<"$tmp/during")" \
		[ "$(<"$tmp/during")" -ge $least ]
	check "round $round: they are gone later" wait_until "sites are freed" few
	slots "$pid" >"$tmp/slots"
	check "round $round: one area is left, with a page at most: $(<"$tmp/slots")" \
		grep -Eq '^[0-4] [12]$' "$tmp/slots"
	is "$(step call 3)" "call 912" "round $round: the program goes on"
done
check "the text equals the file" "$progs/textcmp" "$pid"

# The slots of other probes lie among those that are made again.
at_exit 'echo 1 >/sys/module/uprobes/parameters/jump'
echo 0 >/sys/module/uprobes/parameters/jump
mkfifo "$tmp/lines"
"$tmp/in_group" bash -c 'while read -r line; do eval "$line"; done' <"$tmp/lines" >>"$tmp/said" &
shell=$!
exec 6>"$tmp/lines"
loop='n=0; for ((i = 0; i < 200; i++)); do printf -v s "%s-%05d" "${s: -40}" $((i * i)); [[ $s == *4*9* ]] && n=$((n + ${#s})); done; echo $n'
right=$(bash -c "$loop")
# works: check that the shell works.
works() {
	: >"$tmp/said"
	echo "$loop" >&6
	wait_until "the shell answers" grep -q . "$tmp/said"
	is "$(<"$tmp/said")" "$right" "$1"
}
pid_of_steps=$pid pid=$shell
# The sites of about 200 functions stay.
before=$(settled taken) most=$((before + 100000))
count true
: >"$tmp/others_told"
uprobe count -p "$shell" 'libc:str*' >"$tmp/others" 2>"$tmp/others_told" &
others=$!
wait_until "they are counted" grep -q Ctrl-C "$tmp/others_told"
works "the other sites are gone, and the shell works"
for _ in 1 2; do
	wait_until "sites are freed" few
	count works "sites are made among those that are there, and the shell works"
done
kill -INT $others
wait $others
diag "$(wc -l <"$tmp/others") functions were called meanwhile, $(tail -n 1 "$tmp/others_told")"
pid=$pid_of_steps most=$((before + 30000))

# The slots of a run of instructions come first, one right behind the other; the last ones are long.
set_instructions "$progs/steps" work nest around
diag "$n instructions are probed"
plain="$(step nest 5) $(step around)"
run register 0-$last
count true
check "with $n probes on the process, the other sites go" wait_until "sites are freed" few
count true
is "$(step call 3) $(hits 0)" "call 912 3" "the first instruction is hit"
is "$(step nest 5) $(step around)" "$plain" "all others are executed as without probes"
run unregister 0-$last

# A thread waits in a slot, for a page that another thread provides.
if [ -e /proc/sys/vm/unprivileged_userfaultfd ]; then
	set_probe 90 path="$progs/userfault" offset="0x$(symbol "$progs/userfault" load_at)"
	run register 90
	: >"$out"
	"$progs/userfault" >"$out" &
	wait_for waits
	# The first pass has no memory to note that.
	at_exit 'echo off >/sys/module/uprobes/parameters/inject'
	echo reclaim.notes_take.kvmalloc_array:1 >/sys/module/uprobes/parameters/inject
	run unregister 90
	sleep 13
	kill -URG "$(head -n 1 "$out")"
	wait $!
	is "$? $(sed 1,2d "$out") $(hits 90)" "0 42 1 in time 1" "a thread in a slot finds it as it was"
	is "$(awk '$1 == "reclaim.notes_take.kvmalloc_array" { print $4 }' /sys/kernel/debug/uprobes-inject)" 1 \
		"a pass without memory was followed by others"
else
	skip "a pass without memory was followed by others" "this kernel has no userfaultfd()"
	skip "a thread in a slot finds it as it was" "this kernel has no userfaultfd()"
fi

# A program with memory that it can execute and write to may have copied breakpoints, too.
end_steps
mkfifo "$tmp/commands"
"$progs/copied" <"$tmp/commands" >"$tmp/answers" &
exec 5>"$tmp/commands"
answered() { [ "$(wc -l <"$tmp/answers")" -ge "$1" ]; }
# does WORD N: have the program do that, and print its answer, the Nth.
does() {
	echo "$1" >&5
	wait_until "it answers" answered "$2"
	sed -n "$2p" "$tmp/answers"
}
right=$(does call 2)
set_instructions "$progs/copied" first second third
run register 0-$last
is "$(does copy 3)" 18 "a copy of the text has all breakpoints"
run unregister 0-$last
sleep 15
is "$(does run 4)" "$right 0" "the copy runs later as the original"
exec 5>&- 6>&-
