#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: definitions are added, joined, listed and removed; enabled ones refuse to go
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

names() {
	cut -d' ' -f1 $dir/uprobe_events | paste -sd' '
}

tick=$(where tick)
text=$(where text)
ktap_plan 43
clear

define "p:a $tick"
define "r:b $tick"
is "$(names)" "p:uprobes/a r:uprobes/b" "appending adds"
echo "p:g/c $tick %di" >$dir/uprobe_events
is "$(names)" "p:g/c" "opening with truncation removes what was there"
echo >$dir/uprobe_events
is "$(names)" "" "so does an empty line"
is "$(ls $dir/events)" enable "the directories have gone with the events"

# What is listed can be written back.
printf '%s\n' "p $tick %di" "r:g/x $tick +0(\$retval):string c=\$comm" "p:y $text s=\\\"a b\"" >>$dir/uprobe_events
list=$(cat $dir/uprobe_events)
echo "$list" >$dir/uprobe_events
is "$(cat $dir/uprobe_events)" "$list" "the list can be written back"

# A byte that is white space in Latin-1 is none in UTF-8.
cp "$prog" "$tmp/voilà"
voila=$(where tick "$tmp/voilà")
echo "p:a $voila s=\\\"à la\":string" >$dir/uprobe_events
like "$(cat $dir/uprobe_events)" "^p:uprobes/a $tmp/voilà:0x0*${voila##*:0x} s=.\"à la\":string\$" "a path has an à"
enable
"$tmp/voilà" ticks 1 3
disable
is "$(lines | grep -c 's="à la"')" 3 "and is traced"
: >$dir/trace

# Removal.
printf '%s\n' "p:g/c $tick" "p:h/c $tick" "p:h/d $tick" "p:h/e $tick" >$dir/uprobe_events
define "-:d"
is "$(names)" "p:g/c p:h/c p:h/e" "an event is removed by its name"
define "-:h/c"
is "$(names)" "p:g/c p:h/e" "or by group and name"
check_fails "not twice" define "-:h/c"
like "$(cat $dir/error_log)" "no such event" "that is in the error log"
define "-:h/"
is "$(names)" "p:g/c" "or with its whole group"
define "p:h/c $tick"
define "-:c"
is "$(names)" "" "a name without group means all groups"

# Several places make one event.
: >$dir/error_log
define "p:both $tick n=\\1"
check "another place joins an event" define "p:both $text n=\\2"
is "$(names)" "p:uprobes/both p:uprobes/both" "both are listed"
is "$(find $dir/events/uprobes -mindepth 1 -type d | wc -l)" 1 "they share a directory"
check_fails "the same place does not join twice" define "p:both $tick n=\\1"
like "$(cat $dir/error_log)" "this very probe already" "for that reason"
check_fails "a return probe does not join" define "r:both $tick n=%di"
like "$(cat $dir/error_log)" "of the other kind" "for that reason"
check_fails "other arguments do not join" define "p:both $text n=%si:u8"
like "$(cat $dir/error_log)" "other arguments or types" "for that reason"
is "$(tail -n 1 $dir/error_log | wc -c)" $((13 + $(wc -c <<<"p:both $text"))) "the caret is under the argument"
check_fails "fewer arguments do not join" define "p:both $text"
check_fails "more arguments do not join" define "p:both $text n=%si %di"
enable uprobes/both
"$prog" all
"$prog" ticks 1 3
is "$(lines | fields | sed 's/: .* / /' | sort | uniq -c | sed 's/^ *//')" "3 both n=0x1
1 both n=0x2" "hits of both places are recorded"
disable
clear
define "p:both $tick n=%di"
define "p:both $text n=%si"
define "-:both $text"
is "$(cat $dir/uprobe_events)" "p:uprobes/both ${tick%:*}:0x$(printf %016x "${tick##*:}") n=%di" "one place is removed by path and offset"

# Enabled events stay.
clear
printf '%s\n' "p:a $tick" "p:b $tick" "p:g/c $tick" >$dir/uprobe_events
is "$(cat $dir/events/enable)" 0 "events are born disabled"
enable uprobes/a
is "$(cat $dir/events/uprobes/a/enable $dir/events/uprobes/enable $dir/events/g/enable $dir/events/enable | paste -sd' ')" "1 X 0 X" "X stands for some"
enable uprobes
is "$(cat $dir/events/uprobes/enable $dir/events/enable | paste -sd' ')" "1 X" "a group is enabled at once"
enable
is "$(cat $dir/events/g/c/enable $dir/events/enable | paste -sd' ')" "1 1" "so is everything"
check_fails "an enabled event is not removed" define "-:a"
check_fails "nor are all, when one is enabled" sh -c ": >$dir/uprobe_events"
is "$(names)" "p:uprobes/a p:uprobes/b p:g/c" "all are still there"
like "$(cat $dir/error_log)" "disable it first" "the reason is in the error log"
disable
is "$(cat $dir/events/enable)" 0 "all are disabled at once"
check "then they can be removed" sh -c ": >$dir/uprobe_events"

# The definition means the file, not the name.
cp "$prog" "$tmp/moved"
define "p:old $(where tick "$tmp/moved") %di"
mkfifo "$tmp/go"
"$tmp/moved" -w ticks 1 5 <"$tmp/go" >"$tmp/ready" &
exec 4>"$tmp/go"
wait_until "the program waits" test -s "$tmp/ready"
mv "$tmp/moved" "$tmp/elsewhere"
cp /bin/true "$tmp/moved"
enable
echo >&4
exec 4>&-
"$tmp/moved"
"$tmp/elsewhere" ticks 1 7
wait
is "$(lines | wc -l)" 12 "a file that was renamed is traced, what took its name is not"
is "$(awk '{ print $3 }' $dir/uprobe_profile)" 12 "the profile has counted them"
disable

# Who may.
is "$(stat -c %a $dir/uprobe_events $dir/trace_pipe $dir/uprobe_profile | paste -sd' ')" "640 440 440" "only root may read and write"
check_fails "an offset past the end of the file is refused" define "p $prog:0x7ffffff"
check_fails "and a name that events/ uses itself" define "p:enable/x $tick"
check_fails "a switch is 0 or 1" sh -c "echo 2 >$dir/events/enable"
clear
