#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the same definitions have the same listing, formats and trace as in tracefs
# needs: setarch
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

has_tracefs || skip_all "this kernel has no uprobe_events"

ints=$(where ints)
text=$(where text)
chain=$(where chain)
give=$(where give)

# Definitions that both accept.  Addresses are those of a program that is not randomized.
definitions="p:ints $ints %di %si:s32 c=%dx:s16 d=%cx:s8 e=%r8:u64 f=%r9:u32 g=\$stack1:s64 h=\$stack2:x8
p:same/hex $ints %di:x64 %di:x32 %di:x16 %di:x8 %si:u8 %si:u16 %si:u32 %si:u64
p:same/bits $ints %si:b4@2/8 %si:b1@31/32 %si:b16@16/32 %r8:b63@1/64 %dx:b3@5/16
p $text +0(%di):string s=+u0(%di):ustring x=+5(%di):string y=+0(%di):u8[9] +0(%di):x16
p:chain $chain +0(%di):u8 +1(%di):s8 +2(%di):u16 +4(%di):s32 +8(%di):u64 +16(%di):x64
p:more $chain name=+0(+16(%di)):string next=+0(+16(+24(%di))):string n=+32(%di):s16[8] +48(%di):x8[8] strs=+56(%di):string[3] bits=+80(%di):b8@4/32
p:deep $chain +8(+24(%di)):u64 -8(+24(%di)):x64 +0(-0(%sp)):u8
p:misc $chain \$stack \$comm cc=\$comm:string \\1 \\-5:s8 \\0x10:x16 %ip %sp %flags:b1@0/32
r:give $give \$retval +0(\$retval):string %ax:u8
r:same/giveip $give %ip
p:give2 $give%return \$retval:s32"

# PREEMPT_RT of Debian 12 has one more common field in front of each record.
lazy=
! grep -q common_preempt_lazy_count $tracefs/events/sched/sched_switch/format ||
	lazy="/common_preempt_lazy_count/d;s/offset:[0-9]*;//"

# trace_all DIR NAME: define, hit and read the events of one directory.  Do not compare the number of
# elements of a numeric array's field, which these kernels leave out.
trace_all() {
	local d=$1

	: >"$d/uprobe_events"
	echo "$definitions" >>"$d/uprobe_events" || return
	cat "$d/uprobe_events" >"$tmp/list.$2"
	for event in uprobes/ints same/hex same/bits uprobes/chain uprobes/more \
		     uprobes/misc uprobes/give same/giveip uprobes/give2; do
		sed '/^ID:/d' "$d/events/$event/format"
	done | sed "s/\[[0-9]*\];/[];/;$lazy" >"$tmp/format.$2"
	: >"$d/trace"
	echo 1 >"$d/events/uprobes/enable"
	echo 1 >"$d/events/same/enable"
	run_same "$prog" all
	echo 0 >"$d/events/uprobes/enable"
	echo 0 >"$d/events/same/enable"
	# Handlers of one address may run in another order.
	lines "$d" | fields | sort >"$tmp/trace.$2"
	: >"$d/uprobe_events"
}

ktap_plan 6
check "tracefs accepts the definitions" trace_all $tracefs theirs
check "the control directory accepts the definitions" trace_all $dir ours
is "$(wc -l <"$tmp/trace.theirs")" 14 "the trace of tracefs has each call"
check "the listed definitions are the same" diff "$tmp/list.theirs" "$tmp/list.ours"
check "the formats are the same" diff "$tmp/format.theirs" "$tmp/format.ours"
check "the trace is the same" diff "$tmp/trace.theirs" "$tmp/trace.ours"
