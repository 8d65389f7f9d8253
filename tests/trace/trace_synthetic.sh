#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: an event can be published as a synthetic event with typed fields, for histograms and filters
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

[ -e $tracefs/synthetic_events ] || skip_all "this kernel has no synthetic events"
tick=$(where tick)
theirs=$tracefs/events/synthetic

# told: print what tracefs has recorded.
told() {
	grep -av '^#' $tracefs/trace | sed -E 's/.*[0-9]{6}: //; s/probe_ip=[0-9]+/probe_ip=IP/'
}

ktap_plan 21
clear
: >$tracefs/trace
define "p:e $tick n=%di:s64 two=%di:u8"
define "p:t $(where text) s=+0(%di):string a=+0(%di):u8[2] c=\$comm"
switch=$dir/events/uprobes/e/synthetic
is "$(cat $switch)" 0 "a new event is not published"
check "an event can be published" sh -c "echo 1 >$switch"
is "$(cat $switch)" 1 "the file synthetic of a published event reads 1"
is "$(cat $tracefs/synthetic_events)" "e	u64 probe_ip; s64 n; u8 two" \
	"the synthetic event has fields with the types of the arguments"
enable
"$prog" ticks 1 2
is "$(told)" "" "while the synthetic event is disabled, tracefs records nothing"
echo 1 >$theirs/e/enable
"$prog" ticks 1 2
is "$(told)" "e: probe_ip=IP n=0 two=0
e: probe_ip=IP n=1 two=1" "tracefs records hits with their values"
echo 'n > 2' >$theirs/e/filter
"$prog" ticks 1 5
is "$(told | tail -n +3)" "e: probe_ip=IP n=3 two=3
e: probe_ip=IP n=4 two=4" "tracefs filters by the fields"
echo 0 >$theirs/e/filter
echo 'hist:keys=n' >$theirs/e/trigger
# If threads add the same key at the same time, the kernel drops a hit. So add all keys first.
"$prog" ticks 1 3
"$prog" ticks 3 3
is "$(grep -E '^\{ n:' $theirs/e/hist | tr -s ' ' | sort)" "{ n: 0 } hitcount: 4
{ n: 1 } hitcount: 4
{ n: 2 } hitcount: 4" "tracefs makes histograms of the fields"
echo '!hist:keys=n' >$theirs/e/trigger
echo 0 >$theirs/e/enable

# Strings and arrays; several events at once.
: >$tracefs/trace
echo 1 >$dir/events/uprobes/t/synthetic
echo 1 >$theirs/t/enable
"$prog" all
is "$(told)" "t: probe_ip=IP s=some text a_0=115 a_1=111 c=traced" "strings and arrays have fields, too"
"$prog" strings
is "$(told | grep -c '^t: ')" 8 "hits with long strings are recorded"
echo 0 >$theirs/t/enable
: >$tracefs/trace
define "p:long $(where text) $(printf 's%d=+0(%%di):string ' {1..20})"
echo 1 >$dir/events/uprobes/long/synthetic
enable uprobes/long
echo 1 >$theirs/long/enable
{ printf 'c%.0s' {1..400}; head -c 12288 /dev/zero; } >"$tmp/file"
"$prog" absent "$tmp/file"
is "$(told | grep -c '^long: ')" 8 "hits with strings that are too long together are recorded"
like "$(told)" ' s14=c{255} s15=c{1,254} s16= .* s20=$' "the last ones of these strings are cut"
echo 0 >$theirs/long/enable

# missed: print the misses of the event "e".
missed() {
	awk '$2 == "e" { print $4 }' $dir/uprobe_profile
}

# A buffer of tracefs that is full and is not overwritten.
size=$(sed 's/ .*//' $tracefs/buffer_size_kb)
echo 4 >$tracefs/buffer_size_kb
echo nooverwrite >$tracefs/trace_options
: >$tracefs/trace
echo 1 >$theirs/e/enable
echo 0 >$tracefs/tracing_on
"$prog" ticks 1 5
echo 1 >$tracefs/tracing_on
is "$(missed)" 0 "hits while tracefs has tracing off are no misses"
"$prog" ticks 1 5000
isnt "$(missed)" 0 "hits that do not fit into the buffer of tracefs are misses"
is $(($(missed) + $(told | grep -c '^e: '))) 5000 "records and misses add up to all hits"
echo 0 >$theirs/e/enable
echo overwrite >$tracefs/trace_options
echo "$size" >$tracefs/buffer_size_kb
: >$tracefs/trace

# The end.
disable
check_fails "an event cannot be published under a name that is taken" \
	sh -c "printf 'p:g/e $tick' >>$dir/uprobe_events && echo 1 >$dir/events/g/e/synthetic"
check "publishing an event can be ended" sh -c "echo 0 >$switch"
is "$(grep -c '^e	' $tracefs/synthetic_events)" 0 "the synthetic event is gone when publishing has ended"
: >$dir/uprobe_events
is "$(cat $tracefs/synthetic_events)" "" "removing an event removes its synthetic event, too"
define "p:held $tick n=%di"
echo 1 >$dir/events/uprobes/held/synthetic
echo 1 >$theirs/held/enable
: >$dir/uprobe_events
like "$(cat $tracefs/synthetic_events)" '^held	' "a synthetic event in use stays when its event is removed"
rmmod uprobes_trace uprobes
echo 0 >$theirs/held/enable
check "a synthetic event that has stayed can be removed after the module has unloaded" \
	sh -c "echo '!held' >>$tracefs/synthetic_events"
load_module
