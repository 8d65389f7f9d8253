#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: each hit that is recorded is also an event in tracefs, with the probe's name and arguments
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

theirs=$tracefs/events/uprobes_ko/hit
[ -d $theirs ] || skip_all "this kernel has no tracefs events"

# told: print the hits that tracefs has got, with names and arguments.
told() {
	grep -av '^#' $tracefs/trace | sed -E 's/.*: hit: //; s/\(0x[0-9a-f]+, 0x[0-9a-f]+\)//'
}

ktap_plan 11
clear
: >$tracefs/trace
define "p:g/e $(where tick) n=%di:u64"
define "r:back $(where text) r=\$retval:u8"
define "p:s $(where text) s=+0(%di):string a=+0(%di):char[2]"
enable
"$prog" ticks 1 1
is "$(told)" "" "while nobody listens, tracefs gets no hits"
echo 1 >$theirs/enable
"$prog" ticks 1 2
is "$(told)" "g:e:  n=0
g:e:  n=1" "tracefs gets hits of entry probes"
: >$tracefs/trace
"$prog" all
is "$(told | sort)" "uprobes:back:  r=1
uprobes:s:  s=\"some text\" a={'s','o'}" "tracefs gets hits of return probes, strings and arrays"
like "$(grep back $tracefs/trace)" '\(0x[1-9a-f][0-9a-f]*, 0x[1-9a-f][0-9a-f]*\)' "a return has both addresses in tracefs"

: >$tracefs/trace
echo 'n == 3' >$dir/events/g/e/filter
"$prog" ticks 1 5
is "$(told)" "g:e:  n=3" "tracefs gets only hits that pass the event's filter"
: >$tracefs/trace
echo 0 >$dir/tracing_on
: >$dir/trace
"$prog" ticks 1 5
is "$(told)$(lines)" "g:e:  n=3" "with our tracing off, tracefs still gets hits"
echo 1 >$dir/tracing_on

# Filters of tracefs over the fields.
: >$tracefs/trace
echo 'probe == "s"' >$theirs/filter
"$prog" all
is "$(told | wc -l)" 1 "tracefs filters by the probe's name"
echo 0 >$theirs/filter

# Long text is cut, not lost.
: >$tracefs/trace
disable
"$prog" strings
enable
"$prog" strings
like "$(told | grep '^uprobes:s: ' | tail -n 2 | head -n 1)" '\.\.\.' "long text is cut, and the cut is marked"
is "$(told | grep -c '^uprobes:s: ')" 7 "no hit with long text is lost"
: >$tracefs/trace
name=$(printf 'n%.0s' {1..60})
define "p:$name/$name $(where text) s=+0(%di):string"
enable "$name"
"$prog" strings
is "$(told | grep -c "^$name:$name: ")" 7 "no hit with long names is lost"
echo 0 >$theirs/enable
disable
clear
check "the module unloads" rmmod uprobes_trace uprobes
load_module
