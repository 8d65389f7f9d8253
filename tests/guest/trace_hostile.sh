#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: mutated definitions and filters, thousands of them, do no harm while a program is being probed
# timeout: 300
#
# DEFINITIONS=100000 and FILTERS=20000 in its environment make it thorough:
#	qemu/run -k 6.1 -t 3000 -- env DEFINITIONS=100000 FILTERS=20000 tests/guest/trace_hostile.sh
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

tick=$(where tick)
[ -x "$UPROBES_TOP/build/tests/host/parse_fuzz" ] || skip_all "the host tests are not built"
ktap_plan 11
clear
define "p:steady $tick n=%di"
enable
nice -n 19 "$prog" ticks 2 2000000000 &
load=$!
# What is refused is told in the kernel log, which is slow where it is a serial port.
loglevel=$(cut -f1 /proc/sys/kernel/printk)
echo 5 >/proc/sys/kernel/printk
at_exit 'echo "$loglevel" >/proc/sys/kernel/printk'

# The fuzzers of the host tests write their lines instead of trying them.  The
# files that they name do not exist, so most good definitions would end there:
# they get the program, at a place that can be probed, and names of their own.
feed=$UPROBES_TOP/build/progs/feed
"$UPROBES_TOP/build/tests/host/parse_fuzz" --print "${DEFINITIONS:-20000}" |
	sed "s,/bin/bash:0x4245c0,$tick,; s,/bin/zsh:0x46420,$(where text),; s,/b:1 ,$(where chain) ,; s,/a\\\\040b:1,$(where give),; s,/b:,$prog:," |
	LC_ALL=C awk '{ sub(/^p:a /, "p:a" NR " ") } 1' >"$tmp/lines"
lines=$(wc -l <"$tmp/lines")
check "there are $lines lines" test "$lines" -ge "${DEFINITIONS:-20000}"
"$feed" $dir/uprobe_events 500 <"$tmp/lines" >"$tmp/fed"
read -r taken refused <"$tmp/fed"
check "$taken were taken, $refused refused" test $((taken + refused)) = "$lines"
check "enough were good" test "$taken" -gt $((refused / 20))

# What is left of them, enabled, in a program that passes through there.
echo 1 >$dir/events/enable 2>/dev/null
for _ in 1 2 3; do
	timeout 20 "$prog" all
done
check "the program runs with what is left enabled" timeout 60 "$prog" all
echo 0 >$dir/events/enable
enable uprobes/steady
cat $dir/trace >/dev/null

# Filters.
"$UPROBES_TOP/build/tests/host/filter_fuzz" --print "${FILTERS:-3000}" >"$tmp/filters"
define "p:f $tick u8=%di:u8 s8=%di:s8 u64=%di:u64 s64=%di:s64 x32=%di:x32 c=%di:char s=+0(%sp):string bad=+0(%di):string a=+0(%sp):s16[3] ss=+0(%sp):string[2] comm2=\$comm f32=%xmm0:f32 f64=%xmm0:f64 nan=%xmm0:f64"
enable uprobes/f
"$feed" $dir/events/uprobes/f/filter <"$tmp/filters" >"$tmp/fed"
read -r taken refused <"$tmp/fed"
check "$taken filters were taken, $refused refused" test "$taken" -gt 50 -a "$refused" -gt 50

# Random bytes, and lines of any length.
for size in 1 100 4095 4096 16383 16384 16385 65536 200000; do
	head -c $size /dev/urandom
done >"$tmp/random"
cat "$tmp/random" >>$dir/uprobe_events 2>/dev/null
# written FILE: added with a single write.
written() {
	dd if="$1" of=$dir/uprobe_events bs=1M oflag=append conv=notrunc status=none
}

(printf 'p:long /bin/sh:0x30 #'; head -c 16362 /dev/zero | tr '\0' x) >"$tmp/16383"
check "a line of 16383 characters is taken" written "$tmp/16383"
(cat "$tmp/16383"; printf x) >"$tmp/16384"
check_fails "one of 16384 is not" written "$tmp/16384"
for i in $(seq 5000); do
	echo "p:many/m$i $tick n=%di"
done >"$tmp/many"
check "a write of many lines is taken whole" written "$tmp/many"
is "$(grep -c many/ $dir/uprobe_events)" 5000 "all of them are there"

check "the program goes on, traced" sh -c "kill -0 $load && grep -q ': steady: ' $dir/trace"
disable
clear
kill $load
is "$(cat $dir/uprobe_events)" "" "all can be removed"
