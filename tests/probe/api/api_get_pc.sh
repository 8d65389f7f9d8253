#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a client in any context can turn addresses of slots and of the return trampoline into the program's
# once: the module's own code decides this, and it is the same on all kernels
# cpus: 2
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ways=out_of_line
[ -z "${FULL:-}" ] || ways="out_of_line stepped flags"
ktap_plan $((FULL ? 57 : 19))

asker=/sys/module/uprobe_pc/parameters
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_pc.ko" || exit
at_exit "rmmod uprobe_pc"
at_exit 'echo 0 >/sys/module/uprobes/parameters/single_step'

# start [flags]: start the program.
start() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	: >"$out"
	"$progs/where" "$@" <"$tmp/in" >"$out" &
	exec 3>"$tmp/in"
	until_is 1 lines
	read -r pid first outer inner read_it system_call behind over <"$out"
}

# reads: print "yes" if the thread sleeps in its read() system call.
reads() {
	[ "$(cut -d ' ' -f 1-2 "/proc/$pid/syscall")" = "0 0x0" ] && echo yes
}

# another: have the thread read a byte, and wait until it sleeps again.
another() {
	local before=$(calls 3)

	printf x >&3
	until_is $((before + 1)) calls 3 && until_is yes reads
}

# in_area ADDRESS: true if ADDRESS is in the module's memory in the process.
in_area() {
	local range rest

	while read -r range rest; do
		if [[ $rest == *uprobes* ]] && [ $((0x$1 >= 0x${range%-*} && 0x$1 < 0x${range#*-})) = 1 ]; then
			return 0
		fi
	done <"/proc/$pid/maps"
	return 1
}

# ask WORDS...: ask the client module about a thread. $sp, $is (ip) and $pc have its answer,
# $tmp/stack has the words of the stack.
ask() {
	echo "$*" >$asker/ask
	read_answer
}
read_answer() {
	cat $asker/answer >"$tmp/answer"
	read -r sp is pc <"$tmp/answer"
	# Words above the outermost of the calls belong to main().
	sed -n 2,7p "$tmp/answer" >"$tmp/stack"
}
# words COLUMN: print a column of the stack words, with their addresses.
words() { awk -v column="$1" 'NR > 1 { printf " " } { printf "%s:%s", $1, $column }' "$tmp/stack"; }
# trampolines: print the stack words that stand for another address.
trampolines() { awk '$2 != $3 { print $2 }' "$tmp/stack"; }

# until_at WHERE: ask until the first thread is at an address. "slot" means that it is in the module's
# memory and executes the probed instruction, not the jump behind it.
until_at() {
	for _ in $(tries 5000); do
		echo "$first" >$asker/ask
		read -r sp is pc <$asker/answer
		if [ "$1" = slot ]; then
			[ "0x$pc" = "$over" ] && in_area "$is" && return
		elif [ "0x$is" = "$1" ]; then
			return
		fi
	done
	echo "it was at $is, $pc"
	return 1
}

for way in $ways; do
	how=", ${way//_/ }"
	[ $way = stepped ]
	echo $((!$?)) >/sys/module/uprobes/parameters/single_step
	# Only single-stepping can execute popf in a slot.
	start $([ $way = flags ] && echo $way)
	check "the thread sleeps in read()$how" until_is yes reads
	ask "$pid"
	is "0x$is 0x$pc" "$behind $behind" "without probes, the ip is not changed$how"
	plain=$(words 2)
	is "$(words 3)" "$plain" "without probes, no stack word is changed$how"

	n=0
	for place in $outer $inner $read_it; do
		set_probe $n pid=$pid vaddr="$place" returns=1 flags=1
		n=$((n + 1))
	done
	set_probe 3 pid=$pid vaddr="$system_call" flags=1
	set_probe 4 pid=$pid vaddr="$over" flags=1
	run register 0-2
	run register 3
	run register 4
	another
	another

	ask "$pid"
	check "with probes, the thread sleeps in a slot$how" in_area "$is"
	is "0x$pc" "$behind" "asked from another task: the thread is behind the system call$how"
	is "$(words 3)" "$plain" "asked from another task: the stack has the real return addresses$how"
	is "$(trampolines | wc -l) $(trampolines | sort -u | wc -l)" "3 1" \
		"in memory, three stack words are the trampoline's address$how"
	trampoline=$(trampolines | head -n 1)
	read -r at _ real < <(tail -n 1 "$tmp/stack")
	ask "$pid $trampoline $(printf %x $((0x$at + 8)))"
	is "$pc" "$real" "the trampoline's address in the ip is turned into the return address of that call$how"
	ask "$pid $trampoline $(printf %x $((0x$at + 800)))"
	is "$pc" "$trampoline" "for a stack pointer without a call, the trampoline's address is not changed$how"
	ask "$pid ${system_call#0x} $at"
	is "0x$pc" "$system_call" "an address in the program is not changed$how"

	echo "entry $pid $system_call" >$asker/walk
	another
	read_answer
	is "0x$is 0x$pc" "$system_call $system_call" "asked in a handler: the thread is at the probe$how"
	is "$(words 3)" "$plain" "asked in a handler: the stack has the real return addresses$how"
	echo "return $pid $read_it" >$asker/walk
	another
	another
	read_answer
	is "$(words 3)" "$plain" \
		"asked in a return handler: the stack has the real return addresses, of the returning call, too$how"
	is "$(trampolines | wc -l)" 3 "in memory, the three words are still the trampoline's address$how"
	echo none >$asker/walk

	check "asked from an interrupt: the first thread, in a slot, is at the probed instruction$how" until_at slot

	kill -STOP "$pid"
	check "the process is stopped$how" until_is T cut -d ' ' -f 3 "/proc/$pid/stat"
	ask "$pid"
	is "0x$is 0x$pc" "$behind $behind" "a tracer's view: the stopped thread is behind the system call$how"
	kill -CONT "$pid"
	run unregister 0-2
	run unregister 3
	run unregister 4
	check "after unregistering, an interrupt finds the first thread at the instruction$how" until_at "$over"
	is "0x$pc" "$over" "after unregistering, the address of this instruction is not changed$how"
	kill -9 "$pid"
	exec 3>&-
	wait "$pid" 2>/dev/null || :
done
