#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: hundreds of events are enabled and disabled at once; one that cannot be enabled does not stop the others
# once: the result depends on the module only, not on the kernel
# timeout: 120
# needs: nm perl
#
# Without FULL=1, it takes three hundred functions of libc instead of all.
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

libc=$(uprobe offset libc getppid)
libc=${libc%:*}
nm -D --defined-only "$libc" |
	awk -v path="$libc" '($2 == "T" || $2 == "W") && !seen[$1]++ {
		sub(/@.*/, "", $3)
		print "p:many/f_" $3 " " path ":0x" $1
	}' | sort -R --random-source=/bin/true >"$tmp/all"
# Keep getppid(), which is called below.
[ -n "${FULL:-}" ] || { grep -w f_getppid "$tmp/all"; grep -vw f_getppid "$tmp/all" | head -n 300; } >"$tmp/lines"
[ -z "${FULL:-}" ] || cp "$tmp/all" "$tmp/lines"

# state EVENT...: print what the enable files say.
state() {
	for event in "$@"; do
		cat "$dir/events/$event/enable"
	done | xargs
}

ktap_plan 24
clear
# The module logs each refusal (of an instruction, or of data that nm takes for a function).
loglevel=$(cut -f1 /proc/sys/kernel/printk)
echo 3 >/proc/sys/kernel/printk
at_exit 'echo "$loglevel" >/proc/sys/kernel/printk'
"$UPROBES_TOP/build/progs/feed" $dir/uprobe_events <"$tmp/lines" >"$tmp/fed"
read -r taken refused <"$tmp/fed"
check "$taken functions of libc are accepted, $refused are refused" \
	test "$taken" -gt "$([ -n "${FULL:-}" ] && echo 950 || echo 280)"
is "$(grep -c '^p:many/' $dir/uprobe_events)" "$taken" "all accepted functions are listed"
define "p:one/tick $(where tick)"
is "$(state . many one)" "0 0 0" "all events are disabled at first"
check "one write enables all events" enable
is "$(state . many one many/f_getppid)" "1 1 1 1" "all events are enabled"
perl -e 'getppid for 1 .. 50'
"$prog" ticks 1 3
is "$(awk '$2 == "f_getppid" || $2 == "tick" { print $2, $3 }' $dir/uprobe_profile | xargs)" "f_getppid 50 tick 3" \
	"the enabled events are hit"
check "one write disables a group" disable many
is "$(state . many one many/f_getppid)" "X 0 1 0" "the other group stays enabled"
check "one write enables the group again" enable many
check "one write disables all events" disable
is "$(state . many one)" "0 0 0" "all events are disabled in the end"
: >$dir/uprobe_events

# Several places of one event.
sed 's, , ,; s,many/[^ ]*,all/of_them,' "$tmp/lines" >"$tmp/places"
"$UPROBES_TOP/build/progs/feed" $dir/uprobe_events <"$tmp/places" >/dev/null
check "an event with as many places can be enabled" enable all
perl -e 'getppid for 1 .. 50'
check "the event with many places is hit" test "$(awk '{ sum += $3 } END { print sum }' $dir/uprobe_profile)" -gt 50
disable
: >$dir/uprobe_events

# Enable events when some of the text is no valid instruction any more.
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
check_fails "enabling all events fails if some cannot be enabled" enable
is "$(state .)" X "some events are enabled all the same"
is "$(grep -l 1 $dir/events/g/*/enable | wc -l)" 24 "all other events are enabled"
is "$(grep -c "Command: [pr]:g/r*chain[123] " $dir/error_log)" 6 "error_log has each event that cannot be enabled"
check_fails "such an event cannot be enabled by itself, either" enable g/chain1
disable
: >$dir/uprobe_events
# shellcheck disable=SC2059
printf "\\$byte" | dd of="$prog" bs=1 seek=$offset conv=notrunc status=none

# A session keeps the definitions before a line that it refuses.
exec 5<>$dir/session
: >$dir/error_log
{
	sed '/chain/,$d' "$tmp/lines"
	echo "r:g/sets $(where _setjmp libc)"
	sed -n '/chain/,$p' "$tmp/lines"
} >"$tmp/with"
check_fails "a session refuses a function that cannot be return-probed" sh -c "cat '$tmp/with' >&5"
like "$(cat $dir/error_log)" "\(line 19\)" "error_log has the number of the refused line"
"$prog" all
is "$(drain <&5 | fields | sed 's/: .*//' | sort | uniq | xargs)" \
	"ints1 ints2 ints3 rints1 rints2 rints3 rtext1 rtext2 rtext3 text1 text2 text3" \
	"the definitions before the refused line record hits"
check "a session accepts a line that disables all of its events" sh -c "echo events/enable 0 >&5"
"$prog" all
is "$(drain <&5)" "" "the session's events are disabled"
echo events/g/enable 1 >&5
"$prog" all
is "$(drain <&5 | wc -l)" 12 "one line enables a group of the session"
exec 5<&-
clear
