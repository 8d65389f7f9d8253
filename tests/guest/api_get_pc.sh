#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: addresses of slots and of the return trampoline are turned into the program's, whoever asks and from where
# once: what decides here is the module, in the same way on all kernels
# cpus: 2
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 57

asker=/sys/module/uprobe_pc/parameters
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_pc.ko" || exit
at_exit "rmmod uprobe_pc"
at_exit 'echo 0 >/sys/module/uprobes/parameters/single_step'

# start [flags]: the program.
start() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	: >"$out"
	"$progs/where" "$@" <"$tmp/in" >"$out" &
	exec 3>"$tmp/in"
	until_is 1 lines
	read -r pid first outer inner read_it system_call behind over <"$out"
}

# reads: whether the thread sleeps in its system call.
reads() {
	[ "$(cut -d ' ' -f 1-2 "/proc/$pid/syscall")" = "0 0x0" ] && echo yes
}

# another: it reads a byte, and sleeps again.
another() {
	local before=$(calls 3)

	printf x >&3
	until_is $((before + 1)) calls 3 && until_is yes reads
}

# in_area ADDRESS: whether it lies in memory of the module's, in the process.
in_area() {
	local range rest

	while read -r range rest; do
		if [[ $rest == *uprobes* ]] && [ $((0x$1 >= 0x${range%-*} && 0x$1 < 0x${range#*-})) = 1 ]; then
			return 0
		fi
	done <"/proc/$pid/maps"
	return 1
}

# ask WORDS...: the answer is in $sp, $is, $pc, the words of the stack in $tmp/stack.
ask() {
	echo "$*" >$asker/ask
	read_answer
}
read_answer() {
	cat $asker/answer >"$tmp/answer"
	read -r sp is pc <"$tmp/answer"
	# What is above the outermost of the calls is main()'s.
	sed -n 2,7p "$tmp/answer" >"$tmp/stack"
}
# words COLUMN: of the stack, with their places.
words() { awk -v column="$1" 'NR > 1 { printf " " } { printf "%s:%s", $1, $column }' "$tmp/stack"; }
# trampolines: what stands for something else.
trampolines() { awk '$2 != $3 { print $2 }' "$tmp/stack"; }

# until_at WHERE: ask the first thread until it is at an address; "slot": until it is in memory of
# the module's and at the probed instruction, not at the jump behind it.
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

for way in out_of_line stepped flags; do
	how=", ${way//_/ }"
	[ $way = stepped ]
	echo $((!$?)) >/sys/module/uprobes/parameters/single_step
	# There is no other way to execute popf than stepping over it.
	start $([ $way = flags ] && echo $way)
	check "it reads$how" until_is yes reads
	ask "$pid"
	is "0x$is 0x$pc" "$behind $behind" "unprobed: the ip is what it is$how"
	plain=$(words 2)
	is "$(words 3)" "$plain" "unprobed: so is the stack$how"

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
	check "the thread sleeps in a slot$how" in_area "$is"
	is "0x$pc" "$behind" "asked from outside: it is behind the system call$how"
	is "$(words 3)" "$plain" "asked from outside: the stack has the real addresses$how"
	is "$(trampolines | wc -l) $(trampolines | sort -u | wc -l)" "3 1" \
		"where the trampoline's stands, three times$how"
	trampoline=$(trampolines | head -n 1)
	read -r at _ real < <(tail -n 1 "$tmp/stack")
	ask "$pid $trampoline $(printf %x $((0x$at + 8)))"
	is "$pc" "$real" "it can be asked for where it is in the ip, too$how"
	ask "$pid $trampoline $(printf %x $((0x$at + 800)))"
	is "$pc" "$trampoline" "where no call is, it stands for nothing$how"
	ask "$pid ${system_call#0x} $at"
	is "0x$pc" "$system_call" "an address of the program stands for itself$how"

	echo "entry $pid $system_call" >$asker/walk
	another
	read_answer
	is "0x$is 0x$pc" "$system_call $system_call" "asked in a handler: it is at the probe$how"
	is "$(words 3)" "$plain" "asked in a handler: the stack has the real addresses$how"
	echo "return $pid $read_it" >$asker/walk
	another
	another
	read_answer
	is "$(words 3)" "$plain" "asked in a return handler, with the call: the same$how"
	is "$(trampolines | wc -l)" 3 "where the trampoline's stands, still$how"
	echo none >$asker/walk

	check "the first thread, in a slot: asked from the interrupt it is at the instruction$how" until_at slot

	kill -STOP "$pid"
	check "the process is stopped$how" until_is T cut -d ' ' -f 3 "/proc/$pid/stat"
	ask "$pid"
	is "0x$is 0x$pc" "$behind $behind" "it is seen behind the system call$how"
	kill -CONT "$pid"
	run unregister 0-2
	run unregister 3
	run unregister 4
	check "unprobed, the first thread is interrupted at the instruction$how" until_at "$over"
	is "0x$pc" "$over" "which stands for itself$how"
	kill -9 "$pid"
	exec 3>&-
	wait "$pid" 2>/dev/null || :
done
