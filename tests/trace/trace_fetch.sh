#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: arguments are fetched in the trap if memory is present; floats, SSE registers and indices work
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

text=$(where text)
floats=$(where floats)
table=$(where table)

# in_trap: print for each line whether interrupts were off.
in_trap() {
	lines | sed -E 's/.* \[[0-9]+\] (.).*/\1/' | tr -d '\n'
}

arguments() {
	lines | fields | sed 's/^[^)]*) //'
}

ktap_plan 15
clear
define "p:f $floats a=%xmm0:f64 b=%xmm1:f32 c=%xmm2:f64 m=+0(%di):f64[3] x=%xmm0:x64 one=+8(%di):f64"
define "p:t $table n=+0(%di,%si,4):s32 half=+0(%di,%si,4):s16 next=+4(%di,%si,4):s32 fixed=+2(,%si,1):u8"
define "r:fr $floats sum=%xmm0:f64"
enable
"$prog" floats
is "$(lines | fields | grep ^f: | sed 's/.*) //')" "a=0.1 b=1.5 c=-2.5e+300 m={1e-07,123456789,-0} x=0x3fb999999999999a one=123456789
a=0.3333333333333333 b=16777216 c=5e-324 m={1e-07,123456789,-0} x=0x3fd5555555555555 one=123456789" \
	"floating-point arguments are fetched from registers and memory"
is "$(lines | fields | grep ^fr: | sed 's/.*) //')" "sum=-2.5e+300
sum=16777216.333333433" "floating-point return values are fetched"
is "$(lines | fields | grep ^t: | sed 's/.*) //')" "n=40 half=40 next=50 fixed=(fault)
n=20 half=20 next=30 fixed=(fault)" "operands with an index and a scale are fetched"
like "$(cat $dir/events/uprobes/f/format)" 'field:float b;.*size:4;.*signed:1;' "the format file has the type of floats"
disable
clear

define "p:f $floats a=%xmm0:f64 b=%xmm1:f32"
echo 'a == 0.1 && b >= 1.5' >$dir/events/uprobes/f/filter
enable
"$prog" floats
is "$(arguments)" "a=0.1 b=1.5" "filters compare floating-point arguments"
disable
clear

# The trap fetches memory that is present. Only absent memory takes task context.
define "p:r $text s=%di"
enable
"$prog" all
is "$(in_trap)" d "registers are fetched in the trap"
disable
clear
define "p:s $text s=+0(%di):string u=+0(%di):u8[9] n=+0(%sp):x64 c=\$comm"
define "r:b $text n=+0(%sp):x64 r=\$retval"
enable
"$prog" all
is "$(in_trap)" dd "strings, arrays and the stack are fetched in the trap, at returns, too"
"$prog" strings
is "$(grep -c ': s: ' $dir/trace)" 8 "strings of all lengths are recorded"
disable
clear
truncate -s 12288 "$tmp/file"
printf 'in a file' | dd of="$tmp/file" conv=notrunc status=none
printf 'across pages' | dd of="$tmp/file" conv=notrunc status=none bs=1 seek=8182
define "p:s $text s=+0(%di):string x=%xmm0"
define "p:t $text s=+0(%di):string"
enable
"$prog" absent "$tmp/file"
is "$(lines | grep ': s: ' | head -n 2 | sed -E 's/.* (s=".*") .*/\1/')" 's="in a file"
s="across pages"' "strings in absent pages are fetched"
like "$(in_trap)" '^[^d]' "absent pages are fetched in task context"
is "$(grep -c ': s: ' $dir/trace)" 8 "each hit in task context is recorded once"
is "$(awk '$2 == "s" { print $3, $4 }' $dir/uprobe_profile)" "8 0" "each hit in task context is counted once"
disable
clear

# A filter after a deferred fetch, and several threads at once.
define "p:s $text s=+0(%di):string"
echo 's ~ "across*"' >$dir/events/uprobes/s/filter
enable
"$prog" absent "$tmp/file"
is "$(arguments)" 's="across pages"' "a filter sees what task context has fetched"
disable
clear
define "p:e $(where tick) n=%di s=+0(%sp):x64 t=+0(+0(%sp)):u8"
enable
"$prog" ticks 4 1000
is "$(drain $dir/trace_pipe | sed 's/.* n=//; s/ .*//' | sort | uniq -c | awk '$1 != 4' | wc -l)" 0 \
	"each call in four threads is recorded once"
is "$(awk '{ print $3, $4 }' $dir/uprobe_profile)" "4000 0" "no hit of the four threads is missed"
clear
