#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: options change the lines as in tracefs, and user stacks are the same as in tracefs
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

compared=
! has_tracefs || compared=1
no_peer="this kernel has no uprobe_events"

deep=$(where inner)

set_up() {
	: >"$1/uprobe_events"
	echo "p:e $deep n=%di" >>"$1/uprobe_events"
}

# Threads, CPUs, flags and times differ between runs.  PREEMPT_RT of 6.1 has two more flags, and more
# lines in the header.
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

# compare WHAT: trace the program in both directories. One result.
compare() {
	run $dir >"$tmp/ours"
	if [ -n "$compared" ]; then
		run $tracefs >"$tmp/theirs"
		check "$1" diff "$tmp/theirs" "$tmp/ours"
	else
		skip "$1" "$no_peer"
	fi
}

# same OPTION: compare with OPTION toggled in both directories. One result.
same() {
	local old

	old=$(cat "$dir/options/$1")
	echo $((!old)) >"$dir/options/$1"
	[ -z "$compared" ] || echo $((!old)) >"$tracefs/options/$1"
	compare "$1=$((!old)) has the same effect as in tracefs"
	echo "$old" >"$dir/options/$1"
	[ -z "$compared" ] || echo "$old" >"$tracefs/options/$1"
}

ktap_plan 18
clear
if [ -n "$compared" ]; then
	check "the event can be defined in tracefs" set_up $tracefs
else
	skip "the event can be defined in tracefs" "$no_peer"
fi
check "the event can be defined here" set_up $dir
compare "the trace is the same as in tracefs"
same irq-info
same record-tgid
same context-info
same userstacktrace
is "$(grep -c '^ => ' "$tmp/ours")" 8 "the user stack has eight addresses"
[ -z "$compared" ] || : >$tracefs/uprobe_events

# User stacks from the trap and from task context, with a filter.
: >$dir/trace
echo 1 >$dir/options/userstacktrace
define "p:task $deep s=+0(%sp):x64"
echo 'n >= 0' >$dir/events/uprobes/e/filter
enable
run_same "$prog" deep
is "$(grep -c '<user stack trace>' $dir/trace)" 2 "the trap and task context record a user stack each"
is "$(grep '^ => ' $dir/trace | sort | uniq -c | awk '$1 != 2' | wc -l)" 0 "both record the same user stack"
drain $dir/trace_pipe >"$tmp/out"
is "$(grep -c '^ => ' "$tmp/out")" 16 "trace_pipe has both user stacks"


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
is "$(stack)" "$before" "a user stack has the real return addresses of return-probed calls"
is "$(lines | grep -c ': r[a-z0-9_]*: ')" 5 "these calls return and are recorded"

# A function that begins with the push of its frame pointer, then with a return probe, too.
: >$dir/uprobe_events
define "p:e $(where frame_1)"
is "$(stack | sed 1d)" "$(sed 1d <<<"$before" | head -n 7)" \
	"where a function pushes its frame pointer, the user stack has its caller"
define "r:left $(where frame_1)"
is "$(stack | sed 1d)" "$(sed 1d <<<"$before" | head -n 7)" \
	"where a return-probed function pushes its frame pointer, the user stack has its caller"

like "$(cat $dir/trace_options)" '^userstacktrace$' "trace_options lists the options that are set"
echo nouserstacktrace >$dir/trace_options
is "$(cat $dir/options/userstacktrace)" 0 "writing to trace_options changes an option"
check_fails "an unknown option is refused" sh -c "echo nosuch >$dir/trace_options"
clear
