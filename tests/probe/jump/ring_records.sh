#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: hits that come from rings have the same records as hits by traps
# once: ring_ends covers the differences between kernels
# cpus: 2 with FULL=1
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/ring.inc"
ktap_plan $((FULL ? 26 : 23))

# words: print how many records have the arguments as words of the stack, too.
words() {
	grep -Ec ' a=([0-9]+) b=([0-9]+) .* id=\1 nr=\2 '
}

args='a=%di:s32 b=%si:s64 low=%si:u8 all=%si:x16 c=$comm five=\5 word=\"text\" sp=%sp'
args+=' back=$stack0 id=$stack1:s32 nr=$stack2:s64 ip=%ip'
filter='b != 3 || a == 0'
for on in 0 1; do
	jump $on
	clear
	define "p:calls $call $args"
	echo "$filter" >$dir/events/uprobes/calls/filter
	enable
	ringed
	[ $on = 0 ] || check "the place needs no trap" warm
	: >$dir/trace
	hits=$(awk '{ print $3 }' $dir/uprobe_profile)
	tell run 2 1000 >/dev/null
	lines | plain | sort >"$tmp/records.$on"
	is "$(lines | words)" 1998 "the words of the stack are right"
	is "$(lines | sound | grep -v number)" 1998 "trace has all records of the right threads in the order of time"
	# The conditions are not such that a pad can check them.
	is "$(($(awk '{ print $3 }' $dir/uprobe_profile) - hits))" 2000 "uprobe_profile counts all hits"
	: >$dir/trace
	tell run 2 500 >/dev/null
	is "$(drain <$dir/trace_pipe | plain | grep -c .)" 998 "trace_pipe has all records"
	disable
	ringed_end
done
check "records are the same by traps and from rings" diff "$tmp/records.0" "$tmp/records.1"

# Conditions that the pad checks.
for on in 0 1; do
	jump $on
	clear
	define "p:calls $call a=%di:s32 b=%si:s64"
	echo 'b >= 100 && b < 300' >$dir/events/uprobes/calls/filter
	enable
	ringed
	[ $on = 0 ] || check "with conditions, the place needs no trap" warm
	: >$dir/trace
	tell run 3 400 >/dev/null
	is "$(lines | sound | grep -v 'number')" 600 "a filter passes the same hits"
	disable
	ringed_end
done

# Two events at one place, with different arguments, and one that only counts.
jump 1
clear
define "p:one $call a=%di:s32 b=%si:s64"
define "p:two $call x=%bx y=%si:u32"
enable
count_begin "$prog" $((${call##*:}))
ringed
check "two events and one that counts need no trap" warm
: >$dir/trace
counts >/dev/null
count_end
count_begin "$prog" $((${call##*:}))
tell run 2 500 >/dev/null
is "$(lines | grep ' one: ' | sound)" 1000 "one event has all records"
is "$(lines | grep -c ' two: ')" 1000 "the other event has all records, too"
is "$(counts | awk '{ print $2 }')" 1000 "the other probe counts all hits"
count_end
ringed_end
disable

# some [N]: print the first records of the session, N times 16 KiB.
some() {
	dd iflag=nonblock,fullblock bs=16k count="${1:-4}" status=none <&5 2>/dev/null | sed '$d'
}

if [ -n "${FULL:-}" ]; then
	# Another event comes while the program hits, and reads other registers; then conditions come.
	jump 1
	clear
	define "p:one $call a=%di:s32"
	enable
	ringed
	warm >/dev/null
	echo "run 2 9000000" >&"${program[1]}"
	for _ in {1..5}; do
		exec 5<>$dir/session
		echo "p:two $call a=%di:s32 b=%si:s64" >&5
		sleep 0.1
		some >>"$tmp/two"
		exec 5<&-
		exec 5<>$dir/session
		echo "p:three $call a=%di:s32 b=%si:s64" >&5
		echo 'events/uprobes/three/filter b >= 500 && b < 8999000' >&5
		# Leave out the hits from before the filter.
		some 64 >/dev/null
		sleep 0.1
		some >>"$tmp/three"
		exec 5<&-
	done
	kill "$pid"
	wait "$pid" 2>/dev/null
	check "there are records of the events that came" test -s "$tmp/two" -a -s "$tmp/three"
	wc -l "$tmp/two" "$tmp/three" | sed 's/^/# /'
	is "$(awk '/ b=/ { match($0, /-[0-9]+ +\[/); thread = substr($0, RSTART + 1) + 0; match($0, /a=[0-9]+/); a = substr($0, RSTART + 2) + 0
		match($0, /b=[0-9]+/); b = substr($0, RSTART + 2) + 0; if (a != thread || b < last[a]) wrong++; last[a] = b } END { print wrong + 0 }' "$tmp/two")" \
		0 "an event that comes has no records of pads from before"
	is "$(awk '/ b=/ { match($0, /b=[0-9]+/); b = substr($0, RSTART + 2) + 0; if (b < 500 || b >= 8999000) wrong++ } END { print wrong + 0 }' "$tmp/three")" \
		0 "its filter holds for all of its records"
	disable
fi

# A session, whose reader waits.
session_begin "a session's event needs no trap"
tell run 4 500 >/dev/null
is "$(drain <&5 | sound)" 2000 "a session has all records"
exec 5<&-
is "$(jumps)" 0 "without the session, no jump is left"
ringed_end

# One that is limited to a name: the thread's, when it hits.
session_begin "a session for a name needs no trap" "only comm second"
tell rename 700 >/dev/null
is "$(drain <&5 | sound)" 700 "it has the records of that name"
exec 5<&-
ringed_end
jump 0
dmesg_says=$(dmesg | grep -cE 'WARNING|BUG|Oops')
is "$dmesg_says" 0 "the kernel warns of nothing"
