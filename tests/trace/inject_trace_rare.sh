#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: rare kernel calls of the control directory may fail: mistakes, one process, fork, perf, large records, counting
# full: they are rare
# once: the code that fails is the same on all kernels
# timeout: 400
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/inject.inc"

ktap_plan 17
clear
tick=$(where tick)
text=$(where text)
nothing() { :; }
runs() { "$prog" ticks 1 3 >/dev/null; }

# An operation that fails anyway returns its own error, or that of the failed call.
libc=$(ldd /bin/bash | awk '/libc.so/ { print $3 }')
# On a process, the module checks the place when the event is enabled.
base=$(awk -v lib="$(realpath "$libc")" '$6 == lib { print substr($1, 1, index($1, "-") - 1); exit }' /proc/$$/maps)
jumps=$(readelf -Ws --dyn-syms "$libc" | awk '$8 ~ /^_setjmp@/ { print $2; exit }')
define "r:bad /proc/$$/mem:$((0x$base + 0x$jumps))"
no_bad() { [ "$(<$dir/events/uprobes/bad/enable)" = 0 ] && runs; }
bad_place() { ! echo 1 >$dir/events/uprobes/bad/enable || ! echo "it is enabled" >&2; }
bad_place 2>"$tmp/refusal"
refusal=$(sed 's/.*: //' "$tmp/refusal")
place_refused() { [ -n "$refusal" ] && refused "$refusal"; }
each_failure "enabling an event where nothing may be probed" bad_place nothing place_refused no_bad
clear
define "p:e $tick n=%di:u64"
good_filter() { echo 'n == 1' >$dir/events/uprobes/e/filter && runs; }
# The file shows what is wrong with the filter, or the old filter if memory was short.
filter_refused() {
	refused "Invalid argument" || return
	if [[ $said == *"Invalid argument"* ]]; then
		grep -q '^parse_error: Field not found' $dir/events/uprobes/e/filter
	else
		grep -qxF 'n == 1' $dir/events/uprobes/e/filter
	fi
}
good_filter
bad_filter() { ! echo 'nosuch == 1' >$dir/events/uprobes/e/filter || ! echo "it is taken" >&2; }
each_failure "a bad filter" bad_filter nothing filter_refused good_filter
echo 0 >$dir/events/uprobes/e/filter

# Settings.
settings() { echo nooverwrite >$dir/trace_options && echo local >$dir/trace_clock && echo nop >$dir/current_tracer; }
old_settings() { echo overwrite >$dir/trace_options; }
are_set() {
	grep -qx nooverwrite $dir/trace_options && [ "$(<$dir/trace_clock) $(<$dir/current_tracer)" = "[local] nop" ]
}
are_old() { old_settings && grep -qx overwrite $dir/trace_options; }
each_failure "settings" settings old_settings are_set are_old
echo $$ >$dir/set_event_pid
follow() { echo event-fork >$dir/trace_options; }
no_follow() { echo noevent-fork >$dir/trace_options; }
followed() { grep -qx event-fork $dir/trace_options; }
not_followed() { no_follow; grep -qx noevent-fork $dir/trace_options; }
each_failure "following forks" follow no_follow followed not_followed
: >$dir/set_event_pid

# One process.
at=$(awk -v f="$(readlink -f /proc/$$/exe)" '$2 ~ /x/ && $6 == f { split($1, a, "-"); print "0x" a[1]; exit }' /proc/$$/maps)
of_process() { define "p:o /proc/$$/mem:$at"; }
not_of_process() { echo "-:uprobes/o" >>$dir/uprobe_events; }
listed() { grep -q "^p:uprobes/o /proc/$$/mem:0x0*${at#0x}\$" $dir/uprobe_events; }
not_listed() { not_of_process 2>/dev/null; ! listed; }
each_failure "a definition on one process" of_process not_of_process listed not_listed
clear

# Records larger than the memory that is kept for one, and strings that are read in task context.
echo 1024 >$dir/buffer_size_kb
define "p:s $text v=+0(%di):u64 $(for i in 1 2 3 4 5 6 7 8 9; do printf 's%d=+0(%%di):string ' $i; done)"
enable
missed() { awk '{ n += $4 } END { print n + 0 }' $dir/uprobe_profile; }
before=$(missed)
recorded() {
	local lost all

	lost=$(($(missed) - before))
	all=$(lines | grep -c s9=)
	[ $((lost + all)) = 15 ] || { echo "$lost missed, $all recorded"; return 1; }
}
all_seen() { before=$(missed); }
{ printf 'x%.0s' {1..5000}; printf '\0'; } >"$tmp/file"
record() { : >$dir/trace; "$prog" strings >/dev/null; "$prog" absent "$tmp/file" >/dev/null; }
each_failure "large records" record all_seen recorded all_seen
record
read_pipe() { record; dd if=$dir/trace_pipe iflag=nonblock bs=64k status=none >"$tmp/read" 2>"$tmp/dd" ||
	! grep -v 'Resource temp' "$tmp/dd" >&2; }
read_all() { [ $(($(missed) - before + $(grep -c s9= "$tmp/read"))) = 15 ]; }
anew() { runs && before=$(missed); }
anew
each_failure "reading long lines" read_pipe nothing read_all anew
read_pipe
check "each record is read, or counted as missed" read_all
before=$(missed)
exec 3<$dir/trace_pipe
record
echo reader.tracer_reader_grow.kvmalloc:1 >$inject
drain <&3 >"$tmp/read"
read -r site _ <$inject
echo off >$inject
drain <&3 >>"$tmp/read"
exec 3<&-
is "$site" reader.tracer_reader_grow.kvmalloc "there is no memory for a long line"
check "the next read gets the long line" read_all
disable
clear

# Events as tracefs and perf see them.
if [ -e $tracefs/synthetic_events ]; then
	define "p:shown $tick n=%di:s64 s=+0(%si):string"
	show() { echo 1 >$dir/events/uprobes/shown/synthetic; }
	hide() { echo 0 >$dir/events/uprobes/shown/synthetic; }
	shown() { grep -q ^shown $tracefs/synthetic_events; }
	not_shown() { hide 2>/dev/null; ! shown; }
	each_failure "a synthetic event" show hide shown not_shown
	clear
else
	skip "a synthetic event" "this kernel has no synthetic events"
fi

if [ -e $tracefs/events/uprobes_ko/hit/enable ]; then
	hooked() { grep -q ' perf_callchain_user' /sys/kernel/debug/kprobes/list; }
	unhooked() { ! hooked; }
	# A worker does that, and writes to the log if it cannot. The write does not wait long for it.
	tried() { hooked || [ -n "$(told)" ]; }
	listen() { echo 1 >$tracefs/events/uprobes_ko/hit/enable && { in_time tried || :; }; }
	ignore() { echo 0 >$tracefs/events/uprobes_ko/hit/enable && in_time unhooked; }
	not_hooked() { ignore; unhooked; }
	each_failure "listening to hits" listen ignore hooked not_hooked
else
	skip "listening to hits" "this kernel has no tracefs events"
fi

# How hits are found.
define "p:w $(where write "$libc")"
enable
read_places() { cat $dir/instrumentation >"$tmp/read"; }
places_there() { grep -q "^w " "$tmp/read"; }
each_failure "reading how hits are found" read_places nothing places_there nothing
clear

# Aggregate files: counting, reading the counts, closing.
# Count the calls of write() in this process.
write=$(where write "$libc")
start_set() { exec 6<>$dir/aggregate && echo "only pid $$" >&6 && printf '%s\n' "p:s $write" "r:t $write" >&6; }
end_set() { exec 6<&-; }
# both_in FILE: FILE has a line for each of the two probes.
both_in() {
	[ "$(cut -d' ' -f1 "$1")" = $'s\nt' ] || {
		echo "counted: $(cat "$1")"
		return 1
	}
}
counts() {
	echo >/dev/null
	cat <&6 >"$tmp/read"
	both_in "$tmp/read"
}
each_failure "counting in one process" start_set end_set counts end_set
# A second read of the same file gets nothing, so each round opens it anew.
new_set() { end_set && start_set && echo >/dev/null; }
start_set
echo >/dev/null
counted() { cat <&6 >"$tmp/read"; }
counted_both() { both_in "$tmp/read"; }
each_failure "reading the counts" counted nothing counted_both new_set
gone() { runs && ! grep -q . $dir/uprobe_profile; }
each_failure "closing an aggregate file" end_set start_set gone runs
end_set
listed_failed
