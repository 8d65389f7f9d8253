#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: options shape the lines as in tracefs; the user stack is the one that tracefs records
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

compared=
! has_tracefs || compared=1
no_peer="this kernel has no uprobe_events"

deep=$(where inner)

set_up() {
	: >"$1/uprobe_events"
	echo "p:e $deep n=%di" >>"$1/uprobe_events"
}

# Threads, CPUs, flags and times differ from run to run.  PREEMPT_RT of 6.1 has two flags
# more, and says so in lines of the header that others have not.
header=entries-in
[ -z "$compared" ] || ! grep -q preempt-lazy-depth $tracefs/trace || header='^#'

run() {
	: >"$1/trace"
	echo 1 >"$1/events/uprobes/enable"
	run_same "$prog" deep
	echo 0 >"$1/events/uprobes/enable"
	grep -v "$header" "$1/trace" |
		sed -E 's/-[0-9]+ +/-PID /; s/\( *[0-9]+\)/(TGID)/; s/\[00.\]/[CPU]/; s/\] [^ ]{5,8} /] FLAGS /; s/ +[0-9]+\.[0-9]{6}:/ TIME:/'
}

# compare WHAT: the program is traced in both ways.
compare() {
	run $dir >"$tmp/ours"
	if [ -n "$compared" ]; then
		run $tracefs >"$tmp/theirs"
		check "$1" diff "$tmp/theirs" "$tmp/ours"
	else
		skip "$1" "$no_peer"
	fi
}

# same OPTION: both with it set to the other state.
same() {
	local old

	old=$(cat "$dir/options/$1")
	echo $((!old)) >"$dir/options/$1"
	[ -z "$compared" ] || echo $((!old)) >"$tracefs/options/$1"
	compare "$1=$((!old)) has the same effect"
	echo "$old" >"$dir/options/$1"
	[ -z "$compared" ] || echo "$old" >"$tracefs/options/$1"
}

ktap_plan 18
clear
if [ -n "$compared" ]; then
	check "tracefs is set up" set_up $tracefs
else
	skip "tracefs is set up" "$no_peer"
fi
check "we are set up" set_up $dir
compare "the traces are the same"
same irq-info
same record-tgid
same context-info
same userstacktrace
is "$(grep -c '^ => ' "$tmp/ours")" 8 "eight addresses of the stack"
[ -z "$compared" ] || : >$tracefs/uprobe_events

# Of both kinds of handlers, with a filter, and of one that returns.
: >$dir/trace
echo 1 >$dir/options/userstacktrace
define "p:task $deep s=+0(%sp):x64"
echo 'n >= 0' >$dir/events/uprobes/e/filter
enable
run_same "$prog" deep
is "$(grep -c '<user stack trace>' $dir/trace)" 2 "both kinds of handlers record it"
is "$(grep '^ => ' $dir/trace | sort | uniq -c | awk '$1 != 2' | wc -l)" 0 "and the same"
drain $dir/trace_pipe >"$tmp/out"
is "$(grep -c '^ => ' "$tmp/out")" 16 "trace_pipe has them, too"


# Return addresses that return probes have replaced.
disable
: >$dir/uprobe_events
define "p:e $deep n=%di"
stack() {
	: >$dir/trace
	enable
	run_same "$prog" deep
	disable
	awk '/: [a-z0-9]+: \(0x/ { on = / e: / } on && /^ => /' $dir/trace
}
before=$(stack)
for name in inner frame_1 frame_2 frame_4 frame_8; do
	define "r:r$name $(where $name)"
done
is "$(stack)" "$before" "a stack shows where return-probed calls really return to"
is "$(lines | grep -c ': r[a-z0-9_]*: ')" 5 "which they do"

# A function that begins with the push of its frame pointer; also return-probed itself.
: >$dir/uprobe_events
define "p:e $(where frame_1)"
is "$(stack | sed 1d)" "$(sed 1d <<<"$before" | head -n 7)" "where a function makes its frame, its caller is there"
define "r:left $(where frame_1)"
is "$(stack | sed 1d)" "$(sed 1d <<<"$before" | head -n 7)" "also where its return is probed"

like "$(cat $dir/trace_options)" '^userstacktrace$' "trace_options lists what is set"
echo nouserstacktrace >$dir/trace_options
is "$(cat $dir/options/userstacktrace)" 0 "and sets it"
check_fails "an unknown option is refused" sh -c "echo nosuch >$dir/trace_options"
clear
