#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: thousands of mutated definitions and filters do no harm while a program is probed
# full: parse_fuzz and filter_fuzz try such lines on the host
# once: the parsers are the same on all kernels
# timeout: 120
#
# LONG=1 in the environment makes it 100,000 definitions and 20,000 filters:
#	qemu/run -k 6.12 -t 3000 -- env LONG=1 tests/trace/trace_hostile.sh
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

definitions=4000 filters=1000 many=1000
[ -z "${LONG:-}" ] || definitions=100000 filters=20000 many=5000
tick=$(where tick)
hostile=$UPROBES_TOP/build/progs/hostile
feed=$UPROBES_TOP/build/progs/feed
ktap_plan 11
clear
define "p:steady $tick n=%di"
enable
nice -n 19 "$prog" ticks 2 1000000000000000 &
load=$!
# The module logs each refusal. Keep these messages off the console, which may be a slow serial port.
loglevel=$(cut -f1 /proc/sys/kernel/printk)
echo 5 >/proc/sys/kernel/printk
at_exit 'echo "$loglevel" >/proc/sys/kernel/printk'

"$hostile" definitions $definitions \
	"p $tick" \
	"r:group/NAME $(where text)%return(0x10) %ip a=%ax:u32" \
	"p:NAME $(where chain) +8(-16(%rdi)):u32[4] \$stack3 \$comm \\\"he llo\":string" \
	"p:NAME $tick s=\\-3:s8 %di:b4@2/8 x=@0x100:string y=@+0x30:u16 +0(+0(%r8)):ustring[3]" \
	"p:NAME $(where give) \$stack:x8 +u0(%sp):char[64] %al %edi # comment" \
	"p:a $tick +8(%rdi,%rsi,4):f32[3] %xmm15:f64 -1(+0(,%r8,8),%ax,2):string" \
	"-:group/event $tick" \
	"-:a" >"$tmp/lines"
lines=$(LC_ALL=C grep -ac '' "$tmp/lines")
check "$lines lines are made, one for each definition at least" test "$lines" -ge $definitions
"$feed" $dir/uprobe_events 500 <"$tmp/lines" >"$tmp/fed"
read -r taken refused <"$tmp/fed"
check "each line was accepted or refused: $taken and $refused" test $((taken + refused)) = "$lines"
check "more than a tenth of the lines was accepted" test "$taken" -gt $((lines / 10))

# Enable the events that are left, and run a program that hits them.
enable
check "the program runs with the $(grep -c '' $dir/uprobe_events) events that are left" \
	timeout $((60 * ${TEST_TIMEOUT_SCALE:-1})) "$prog" all
echo 0 >$dir/events/enable
enable uprobes/steady
cat $dir/trace >/dev/null

# Filters.
"$hostile" filters $filters \
	"u8 == 200 && s8 < -5 || !(u64 >= 0x10)" \
	's ~ "a*[a-z]?\*" && comm != '"'bash'" \
	"(a[0] == 1 || a[2] & 7) && common_pid == 4321" \
	'bad == "(fault)" || ss[1] == "" || cpu > 0' \
	"!!((x32 != 0)) && c == 120" \
	"f32 == 0.1 || f64 < -2.5e-30 && nan != 12345.678e9" >"$tmp/filters"
define "p:f $tick u8=%di:u8 s8=%di:s8 u64=%di:u64 s64=%di:s64 x32=%di:x32 c=%di:char s=+0(%sp):string bad=+0(%di):string a=+0(%sp):s16[3] ss=+0(%sp):string[2] comm2=\$comm f32=%xmm0:f32 f64=%xmm0:f64 nan=%xmm0:f64"
enable uprobes/f
"$feed" $dir/events/uprobes/f/filter <"$tmp/filters" >"$tmp/fed"
read -r taken refused <"$tmp/fed"
check "more than 50 filters each were accepted and refused: $taken and $refused" test "$taken" -gt 50 -a "$refused" -gt 50

# Random bytes, and lines of any length.
for size in 1 100 4095 4096 16383 16384 16385 65536 200000; do
	head -c $size /dev/urandom
done >"$tmp/random"
cat "$tmp/random" >>$dir/uprobe_events 2>/dev/null
# written FILE: append FILE with a single write.
written() {
	dd if="$1" of=$dir/uprobe_events bs=1M oflag=append conv=notrunc status=none
}

(printf 'p:long /bin/sh:0x30 #'; head -c 16362 /dev/zero | tr '\0' x) >"$tmp/16383"
check "a line of 16383 characters is accepted" written "$tmp/16383"
(cat "$tmp/16383"; printf x) >"$tmp/16384"
check_fails "a line of 16384 characters is refused" written "$tmp/16384"
for i in $(seq $many); do
	echo "p:many/m$i $tick n=%di"
done >"$tmp/many"
check "a write of $many lines is accepted as a whole" written "$tmp/many"
is "$(grep -c many/ $dir/uprobe_events)" $many "uprobe_events has all of these lines"

check "the probed program still runs and is traced" sh -c "kill -0 $load && grep -q ': steady: ' $dir/trace"
disable
clear
kill $load
is "$(cat $dir/uprobe_events)" "" "all events can be removed"
