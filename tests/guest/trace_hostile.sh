#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: mutated definitions, thousands of them, do no harm while a program is being probed
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

tick=$(where tick)
[ -x "$UPROBES_TOP/build/tests/host/parse_fuzz" ] || skip_all "the host tests are not built"
ktap_plan 8
clear
define "p:steady $tick n=%di"
enable
"$prog" ticks 2 2000000000 &
load=$!

# The fuzzer of the host tests writes its lines instead of trying them.  Its
# files do not exist, so most good definitions end there; some get the program.
"$UPROBES_TOP/build/tests/host/parse_fuzz" --print 20000 >"$tmp/lines"
sed "s,/bin/bash,$prog,; s,/bin/zsh,$prog,; s,/b:,$prog:," "$tmp/lines" >"$tmp/named"
is "$(wc -l <"$tmp/lines" | sed 's/....$//')" 2 "there are 20,000 lines"
while IFS= read -r line; do
	printf '%s\n' "$line" >>$dir/uprobe_events
done <"$tmp/named" 2>/dev/null
check "some of them were good" test "$(wc -l <$dir/uprobe_events)" -gt 1
diag "$(wc -l <$dir/uprobe_events) definitions, $(find $dir/events -mindepth 1 -maxdepth 1 -type d | wc -l) groups"

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
