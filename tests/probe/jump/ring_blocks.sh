#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: hits come in blocks, and nothing of a record, its order or its number is different
# full: the time of the default run is used up
# once: ring_ends covers the differences between kernels
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/ring.inc"
ktap_plan 43

# stat NAME: print the sum of a number that the buffer of each CPU has.
stat() {
	awk -v name="$1:" '$0 ~ "^" name { n += $NF } END { print n }' $dir/per_cpu/cpu*/stats
}

# shown_or_lost: print the sum of the records and of the losses in lines.
shown_or_lost() {
	awk '/calls: / { n++ } match($0, /LOST [0-9]+/) { n += substr($0, RSTART + 5, RLENGTH - 5) } END { print n + 0 }'
}

words=$prog:$(printf '0x%x' $((0x$(symbol "$prog" ring_words) - 0x400000)))
chmod 755 "$tmp" "$prog"
args='a=%di:s32 b=%si:s64 low=%si:u8 all=%si:x16 again=%si:s8 sp=%sp ip=%ip'
"$UPROBES_TOP/userspace/uprobe" doctor >/dev/null 2>&1
both_warm() {
	warm
	[ "$(jumps)" -ge 2 ]
}
for on in 0 1; do
	jump $on
	clear
	define "p:calls $call $args"
	enable
	ringed
	[ $on = 0 ] || check "the place needs no trap" warm
	: >$dir/trace
	hits=$(awk '{ print $3 }' $dir/uprobe_profile)
	tell run 2 2000 >/dev/null
	lines | plain | sort >"$tmp/records.$on"
	is "$(lines | sound)" 4000 "trace has all records of the right threads in the order of time"
	# A block for each time that a ring was emptied: more of them on a busy machine.
	bytes[on]=$(stat bytes)
	[ $on = 0 ] || check "they take less memory (${bytes[*]})" [ "${bytes[1]}" -lt "${bytes[0]}" ]
	is "$(stat entries) $(stat overrun)" "4000 0" "stats has their number"
	like "$(head -n 3 $dir/trace)" "entries-written: 4000/4000 " "so has the header of trace"
	is "$(lines | sound)" 4000 "and still has them"
	is "$(($(awk '{ print $3 }' $dir/uprobe_profile) - hits))" 4000 "uprobe_profile counts all hits"
	is "$(drain <$dir/trace_pipe | sound)" 4000 "trace_pipe has all records"
	is "$(drain <$dir/trace_pipe | grep -c .)" 0 "once"
	disable
	ringed_end
done
check "records are the same by traps and in blocks" diff "$tmp/records.0" "$tmp/records.1"

# Places of an event whose arguments are not the same part of the same values.
for arguments in 'b=%si:s64 a=+0(%sp):u64|b=%si:s64 a=%sp:u64' 'b=+0(%sp):b7@3/32|b=+0(%sp):b4@0/32'; do
	for on in 0 1; do
		jump $on
		clear
		define "p:mixed $call ${arguments%|*}"
		define "p:mixed $words ${arguments#*|}"
		enable
		ringed
		[ $on = 0 ] || check "both places need no trap" in_time both_warm
		: >$dir/trace
		tell run 2 500 >/dev/null
		lines | grep -o 'b=[^ ]*' | sort >"$tmp/records.$on"
		disable
		ringed_end
	done
	is "$(grep -c . "$tmp/records.1")" 2000 "all hits have records"
	check "which are the same by traps and in blocks" diff "$tmp/records.0" "$tmp/records.1"
done

# A reader that takes some records out of a block, and a buffer that is cleared then.
clear
define "p:calls $call a=%di:s32 b=%si:s64"
enable
ringed
warm
: >$dir/trace
tell run 1 500 >/dev/null
exec 6<$dir/trace_pipe
# The first read makes lines of 8 KB.
some=$(dd bs=1 count=8000 <&6 2>/dev/null | grep -c 'calls: ')
check "a part of a block can be read ($some)" [ "$some" -gt 50 ]
taken=$(stat "read events")
check "stats has their number ($taken)" [ $((taken - some)) -ge 0 -a $((taken - some)) -lt 5 ]
is "$(($(stat entries) + taken))" 500 "the others are there"
: >$dir/trace
exec 6<&-
tell run 1 100 >/dev/null
is "$(drain <$dir/trace_pipe | sound)" 100 "a buffer that is cleared in the middle of a block has the records since"

# Losses: the buffer keeps the last records, or the first ones.
echo 8 >$dir/buffer_size_kb
for keep in 1 0; do
	echo $keep >$dir/options/overwrite
	: >$dir/trace
	tell run 2 3000 >/dev/null
	hits=6000
	n=0
	# What a processor has lost is told by its next record.
	for _ in $(tries 50); do
		n=$((n + $(drain <$dir/trace_pipe | shown_or_lost)))
		[ "$n" -lt "$hits" ] || break
		tell run 4 5 >/dev/null
		hits=$((hits + 20))
	done
	is "$n" "$hits" "with overwrite $keep, each hit has a record or is lost"
	is "$(($(stat "read events") + $(stat entries) + $(stat overrun) + $(stat dropped.events)))" "$hits" "also by stats"
done
echo 1 >$dir/options/overwrite
echo 1408 >$dir/buffer_size_kb
disable
ringed_end

# Two events of one session at one place: a ring has not room for all hits twice.  In each round, the program forges
# 240 hits, and writes over the hit before.
clear
exec 5<>$dir/session
printf '%s\n' "buffer_size_kb 4096" "p:calls $call" "p:others $call" >&5
ringed taskset 1 setpriv --reuid=1000 --regid=1000 --clear-groups
check "with two events, the place needs no trap" warm
for _ in $(tries 100); do
	drain <&5 >/dev/null
	tell flood 10 >/dev/null
	drain <&5 >"$tmp/both"
	[ "$(grep -c 'calls: ' "$tmp/both")" = 2401 ] && break
	sleep 0.1
done
is "$(grep -c 'calls: ' "$tmp/both") $(grep -c 'others: ' "$tmp/both")" "2401 2401" "both get all hits that the program forges"
exec 5<&-
ringed_end

# Two sessions, one of them with a small buffer.
exec 5<>$dir/session 7<>$dir/session
printf '%s\n' "buffer_size_kb 8" "p:calls $call a=%di:s32" >&5
printf '%s\n' "p:calls $call a=%di:s32 b=%si:s64" >&7
ringed
check "with two sessions, the place needs no trap" warm
drain <&5 >/dev/null
drain <&7 >/dev/null
tell run 2 2000 >/dev/null
is "$(drain <&7 | sound)" 4000 "one has all records"
n=$(drain <&5 | shown_or_lost) hits=4000
for _ in $(tries 50); do
	[ "$n" -lt "$hits" ] || break
	tell run 4 5 >/dev/null
	hits=$((hits + 20))
	n=$((n + $(drain <&5 | shown_or_lost)))
done
is "$n" "$hits" "the other one tells how many it has lost"
exec 5<&- 7<&-
ringed_end

# Two sessions that get a half of the hits each: their blocks are shorter than the module has expected.
exec 5<>$dir/session 7<>$dir/session
printf '%s\n' "buffer_size_kb 2048" "p:calls $words a=%di:s32" >&5
printf '%s\n' "buffer_size_kb 2048" "p:calls $call a=%di:s32 b=%si:s64" >&7
ringed
warm
drain <&5 >/dev/null
drain <&7 >/dev/null
tell run 2 2000 >/dev/null
is "$(drain <&5 | sound) $(drain <&7 | sound)" "4000 4000" "sessions with different places have all records"
exec 5<&- 7<&-
ringed_end

# A thread that keeps its processor: its hits are in its ring.
clear
define "p:calls $call a=%di:s32 b=%si:s64"
enable
ringed
warm
: >$dir/trace
tell spin 50 >/dev/null
like "$(head -n 3 $dir/trace)" "entries-written: 50/50 " "the header of trace has the hits that were in a ring"
kill "$pid"
wait "$pid"
disable

# Units, as the helper reads them.
uprobe=$UPROBES_TOP/userspace/uprobe
cat >"$tmp/calls.sh" <<END
for i in 1 2 3 4 5; do echo run 2 1000; done | "$prog" >/dev/null
END
jump 1
echo 1 >/sys/module/uprobes/parameters/jump_after
"$uprobe" --buffer 4096 -c "sh $tmp/calls.sh" "p:$call a=%di:s32 b=%si:s64" >"$tmp/out" 2>"$tmp/err"
is "$(sound <"$tmp/out")" 10000 "uprobe prints all hits, in the order of time"
like "$(cat "$tmp/err")" "10000 events shown, 10000 hits, 0 missed, 0 lost" "and says so"
"$uprobe" --buffer 4096 --json -c "sh $tmp/calls.sh" "p:$call a=%di:s32 b=%si:s64" >"$tmp/out" 2>/dev/null
is "$(grep -Ec '^\{"time":[0-9.]+,"event":"[a-z_0-9]+","comm":"ringed","pid":[0-9]+,"tid":[0-9]+,"cpu":[0-9]+,"address":"0x[0-9a-f]+","args":\{"a":[0-9]+,"b":[0-9]+\}\}$' "$tmp/out")" 10000 "also as JSON"

# The rules for reading them.
exec 5<>$dir/session
echo "binary 1" >&5
check_fails "a read of less than 4,096 bytes is refused" dd bs=4095 count=1 status=none <&5
echo "p:calls $call" >&5
check_fails "a session with events does not change the form" sh -c 'echo "binary 0" >&5'
exec 5<&-
