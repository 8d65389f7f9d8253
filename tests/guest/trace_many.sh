#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: hundreds of events are switched at once; one that cannot be does not keep the others from it
# once: what decides here is the module, in the same way on all kernels
# timeout: 120
# needs: nm perl
#
# Without FULL=1: three hundred functions of libc, not all.
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

libc=$(uprobe offset libc getppid)
libc=${libc%:*}
nm -D --defined-only "$libc" |
	awk -v path="$libc" '($2 == "T" || $2 == "W") && !seen[$1]++ {
		sub(/@.*/, "", $3)
		print "p:many/f_" $3 " " path ":0x" $1
	}' | sort -R --random-source=/bin/true >"$tmp/all"
# getppid() is called below.
[ -n "${FULL:-}" ] || { grep -w f_getppid "$tmp/all"; grep -vw f_getppid "$tmp/all" | head -n 300; } >"$tmp/lines"
[ -z "${FULL:-}" ] || cp "$tmp/all" "$tmp/lines"

# state EVENT...: what the enable files say.
state() {
	for event in "$@"; do
		cat "$dir/events/$event/enable"
	done | xargs
}

ktap_plan 24
clear
# What is refused (an instruction, or data that nm takes for a function) is told in the kernel log.
loglevel=$(cut -f1 /proc/sys/kernel/printk)
echo 3 >/proc/sys/kernel/printk
at_exit 'echo "$loglevel" >/proc/sys/kernel/printk'
"$UPROBES_TOP/build/progs/feed" $dir/uprobe_events <"$tmp/lines" >"$tmp/fed"
read -r taken refused <"$tmp/fed"
check "$taken functions of libc are defined, $refused cannot be" test "$taken" -gt "$([ -n "${FULL:-}" ] && echo 950 || echo 280)"
is "$(grep -c '^p:many/' $dir/uprobe_events)" "$taken" "all are listed"
define "p:one/tick $(where tick)"
is "$(state . many one)" "0 0 0" "all are disabled"
check "all are enabled by one write" enable
is "$(state . many one many/f_getppid)" "1 1 1 1" "and are"
perl -e 'getppid for 1 .. 50'
"$prog" ticks 1 3
is "$(awk '$2 == "f_getppid" || $2 == "tick" { print $2, $3 }' $dir/uprobe_profile | xargs)" "f_getppid 50 tick 3" \
	"each is hit"
check "a group is disabled by one write" disable many
is "$(state . many one many/f_getppid)" "X 0 1 0" "the other one is not"
check "and enabled" enable many
check "all are disabled" disable
is "$(state . many one)" "0 0 0" "all of them"
: >$dir/uprobe_events

# Several places of one event.
sed 's, , ,; s,many/[^ ]*,all/of_them,' "$tmp/lines" >"$tmp/places"
"$UPROBES_TOP/build/progs/feed" $dir/uprobe_events <"$tmp/places" >/dev/null
check "an event of as many places" enable all
perl -e 'getppid for 1 .. 50'
check "is hit" test "$(awk '{ sum += $3 } END { print sum }' $dir/uprobe_profile)" -gt 50
disable
: >$dir/uprobe_events

# Text that is no instruction any more when events are enabled.
for name in ints tick text chain give; do
	place=$(where $name)
	for i in 1 2 3; do
		printf '%s\n' "p:g/$name$i $place" "r:g/r$name$i $place"
	done
done >"$tmp/lines"
cat "$tmp/lines" >$dir/uprobe_events
offset=$(where chain)
offset=$((${offset##*:}))
byte=$(dd if="$prog" bs=1 skip=$offset count=1 status=none | od -An -to1 | tr -d ' ')
printf '\006' | dd of="$prog" bs=1 seek=$offset conv=notrunc status=none
check_fails "enabling all tells that some cannot be" enable
is "$(state .)" X "some are enabled"
is "$(grep -l 1 $dir/events/g/*/enable | wc -l)" 24 "all of the others"
is "$(grep -c "Command: [pr]:g/r*chain[123] " $dir/error_log)" 6 "error_log tells of each"
check_fails "an event by itself cannot be, either" enable g/chain1
disable
: >$dir/uprobe_events
# shellcheck disable=SC2059
printf "\\$byte" | dd of="$prog" bs=1 seek=$offset conv=notrunc status=none

# A session keeps what stands before the line that cannot be put in place.
exec 5<>$dir/session
: >$dir/error_log
{
	sed '/chain/,$d' "$tmp/lines"
	echo "r:g/sets $(where _setjmp libc)"
	sed -n '/chain/,$p' "$tmp/lines"
} >"$tmp/with"
check_fails "a session refuses a function that cannot be return-probed" sh -c "cat '$tmp/with' >&5"
like "$(cat $dir/error_log)" "\(line 19\)" "error_log tells which"
"$prog" all
is "$(drain <&5 | fields | sed 's/: .*//' | sort | uniq | xargs)" \
	"ints1 ints2 ints3 rints1 rints2 rints3 rtext1 rtext2 rtext3 text1 text2 text3" \
	"what stands before it works"
check "all events of a session are switched by one line" sh -c "echo events/enable 0 >&5"
"$prog" all
is "$(drain <&5)" "" "off"
echo events/g/enable 1 >&5
"$prog" all
is "$(drain <&5 | wc -l)" 12 "and those of a group on"
exec 5<&-
clear
