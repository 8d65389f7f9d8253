#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: an event can be published as a synthetic event with typed fields, for histograms and filters
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

[ -e $tracefs/synthetic_events ] || skip_all "this kernel has no synthetic events"
tick=$(where tick)
theirs=$tracefs/events/synthetic

# told: what tracefs has recorded.
told() {
	grep -av '^#' $tracefs/trace | sed -E 's/.*[0-9]{6}: //; s/probe_ip=[0-9]+/probe_ip=IP/'
}

ktap_plan 21
clear
: >$tracefs/trace
define "p:e $tick n=%di:s64 two=%di:u8"
define "p:t $(where text) s=+0(%di):string a=+0(%di):u8[2] c=\$comm"
switch=$dir/events/uprobes/e/synthetic
is "$(cat $switch)" 0 "an event is not published at first"
check "it can be" sh -c "echo 1 >$switch"
is "$(cat $switch)" 1 "then it is"
is "$(cat $tracefs/synthetic_events)" "e	u64 probe_ip; s64 n; u8 two" "its fields have its types"
enable
"$prog" ticks 1 2
is "$(told)" "" "it is not enabled, nothing is told"
echo 1 >$theirs/e/enable
"$prog" ticks 1 2
is "$(told)" "e: probe_ip=IP n=0 two=0
e: probe_ip=IP n=1 two=1" "its hits have their values"
echo 'n > 2' >$theirs/e/filter
"$prog" ticks 1 5
is "$(told | tail -n +3)" "e: probe_ip=IP n=3 two=3
e: probe_ip=IP n=4 two=4" "tracefs filters by its fields"
echo 0 >$theirs/e/filter
echo 'hist:keys=n' >$theirs/e/trigger
# Of threads that add the same key at the same time the kernel drops a hit: they are there before.
"$prog" ticks 1 3
"$prog" ticks 3 3
is "$(grep -E '^\{ n:' $theirs/e/hist | tr -s ' ' | sort)" "{ n: 0 } hitcount: 4
{ n: 1 } hitcount: 4
{ n: 2 } hitcount: 4" "and makes histograms of them"
echo '!hist:keys=n' >$theirs/e/trigger
echo 0 >$theirs/e/enable

# Strings, arrays, several at once.
: >$tracefs/trace
echo 1 >$dir/events/uprobes/t/synthetic
echo 1 >$theirs/t/enable
"$prog" all
is "$(told)" "t: probe_ip=IP s=some text a_0=115 a_1=111 c=traced" "strings and arrays have fields, too"
"$prog" strings
is "$(told | grep -c '^t: ')" 8 "long strings do no harm"
echo 0 >$theirs/t/enable
: >$tracefs/trace
define "p:long $(where text) $(printf 's%d=+0(%%di):string ' {1..20})"
echo 1 >$dir/events/uprobes/long/synthetic
enable uprobes/long
echo 1 >$theirs/long/enable
{ printf 'c%.0s' {1..400}; head -c 12288 /dev/zero; } >"$tmp/file"
"$prog" absent "$tmp/file"
is "$(told | grep -c '^long: ')" 8 "nor do those that are too long together"
like "$(told)" ' s14=c{255} s15=c{1,254} s16= .* s20=$' "of which the last ones are cut"
echo 0 >$theirs/long/enable

# missed: what the event "e" is said to have missed.
missed() {
	awk '$2 == "e" { print $4 }' $dir/uprobe_profile
}

# A buffer of tracefs that is full, and takes nothing more.
size=$(sed 's/ .*//' $tracefs/buffer_size_kb)
echo 4 >$tracefs/buffer_size_kb
echo nooverwrite >$tracefs/trace_options
: >$tracefs/trace
echo 1 >$theirs/e/enable
echo 0 >$tracefs/tracing_on
"$prog" ticks 1 5
echo 1 >$tracefs/tracing_on
is "$(missed)" 0 "what tracefs does not want is not missed"
"$prog" ticks 1 5000
isnt "$(missed)" 0 "what it has no room for is"
is $(($(missed) + $(told | grep -c '^e: '))) 5000 "seen and missed are all"
echo 0 >$theirs/e/enable
echo overwrite >$tracefs/trace_options
echo "$size" >$tracefs/buffer_size_kb
: >$tracefs/trace

# The end.
disable
check_fails "a name that is taken is refused" sh -c "printf 'p:g/e $tick' >>$dir/uprobe_events && echo 1 >$dir/events/g/e/synthetic"
check "an event is published no more" sh -c "echo 0 >$switch"
is "$(grep -c '^e	' $tracefs/synthetic_events)" 0 "its synthetic event is gone"
: >$dir/uprobe_events
is "$(cat $tracefs/synthetic_events)" "" "removing an event ends it, too"
define "p:held $tick n=%di"
echo 1 >$dir/events/uprobes/held/synthetic
echo 1 >$theirs/held/enable
: >$dir/uprobe_events
like "$(cat $tracefs/synthetic_events)" '^held	' "one that is in use stays"
rmmod uprobes
echo 0 >$theirs/held/enable
check "and can be removed when the module has gone" sh -c "echo '!held' >>$tracefs/synthetic_events"
load_module
