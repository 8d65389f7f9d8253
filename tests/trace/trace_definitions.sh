#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: definitions are added, joined, listed and removed; enabled events cannot be removed
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

names() {
	cut -d' ' -f1 $dir/uprobe_events | paste -sd' '
}

tick=$(where tick)
text=$(where text)
ktap_plan 43
clear

define "p:a $tick"
define "r:b $tick"
is "$(names)" "p:uprobes/a r:uprobes/b" "appending adds definitions"
echo "p:g/c $tick %di" >$dir/uprobe_events
is "$(names)" "p:g/c" "opening with truncation removes the earlier definitions"
echo >$dir/uprobe_events
is "$(names)" "" "an empty line after truncation leaves no definition"
is "$(ls $dir/events)" enable "the directories of removed events are removed"

# The list can be written back.
printf '%s\n' "p $tick %di" "r:g/x $tick +0(\$retval):string c=\$comm" "p:y $text s=\\\"a b\"" >>$dir/uprobe_events
list=$(cat $dir/uprobe_events)
echo "$list" >$dir/uprobe_events
is "$(cat $dir/uprobe_events)" "$list" "the list can be written back"

# A byte that is white space in Latin-1 is none in UTF-8.
cp "$prog" "$tmp/voilà"
voila=$(where tick "$tmp/voilà")
echo "p:a $voila s=\\\"à la\":string" >$dir/uprobe_events
like "$(cat $dir/uprobe_events)" "^p:uprobes/a $tmp/voilà:0x0*${voila##*:0x} s=.\"à la\":string\$" \
	"a path with an à is listed unchanged"
enable
"$tmp/voilà" ticks 1 3
disable
is "$(lines | grep -c 's="à la"')" 3 "a file with an à in its path is traced"
: >$dir/trace

# Removal.
printf '%s\n' "p:g/c $tick" "p:h/c $tick" "p:h/d $tick" "p:h/e $tick" >$dir/uprobe_events
define "-:d"
is "$(names)" "p:g/c p:h/c p:h/e" "an event is removed by its name"
define "-:h/c"
is "$(names)" "p:g/c p:h/e" "an event is removed by group and name"
check_fails "an event cannot be removed twice" define "-:h/c"
like "$(cat $dir/error_log)" "no such event" "error_log says that there is no such event"
define "-:h/"
is "$(names)" "p:g/c" "an event is removed with its whole group"
define "p:h/c $tick"
define "-:c"
is "$(names)" "" "a name without group means all groups"

# Several places of one event.
: >$dir/error_log
define "p:both $tick n=\\1"
check "another place joins an event" define "p:both $text n=\\2"
is "$(names)" "p:uprobes/both p:uprobes/both" "both places are listed"
is "$(find $dir/events/uprobes -mindepth 1 -type d | wc -l)" 1 "both places share a directory"
check_fails "the same place does not join twice" define "p:both $tick n=\\1"
like "$(cat $dir/error_log)" "this very probe already" "error_log says that the event has this probe already"
check_fails "a return probe does not join" define "r:both $tick n=%di"
like "$(cat $dir/error_log)" "of the other kind" "error_log says that the event is of the other kind"
check_fails "other arguments do not join" define "p:both $text n=%si:u8"
like "$(cat $dir/error_log)" "other arguments or types" "error_log says that the event has other arguments"
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

# Enabled events cannot be removed.
clear
printf '%s\n' "p:a $tick" "p:b $tick" "p:g/c $tick" >$dir/uprobe_events
is "$(cat $dir/events/enable)" 0 "new events are disabled"
enable uprobes/a
is "$(cat $dir/events/uprobes/a/enable $dir/events/uprobes/enable $dir/events/g/enable $dir/events/enable | paste -sd' ')" "1 X 0 X" \
	"X means that some events are enabled"
enable uprobes
is "$(cat $dir/events/uprobes/enable $dir/events/enable | paste -sd' ')" "1 X" "one write enables a group"
enable
is "$(cat $dir/events/g/c/enable $dir/events/enable | paste -sd' ')" "1 1" "one write enables all events"
check_fails "an enabled event cannot be removed" define "-:a"
check_fails "all events cannot be removed while one is enabled" sh -c ": >$dir/uprobe_events"
is "$(names)" "p:uprobes/a p:uprobes/b p:g/c" "all events are still defined"
like "$(cat $dir/error_log)" "disable it first" "error_log says to disable the event first"
disable
is "$(cat $dir/events/enable)" 0 "one write disables all events"
check "disabled events can be removed" sh -c ": >$dir/uprobe_events"

# A definition means the file, not its name.
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
is "$(lines | wc -l)" 12 "a renamed file is traced, and a new file with its name is not"
is "$(awk '{ print $3 }' $dir/uprobe_profile)" 12 "uprobe_profile has counted the hits of the renamed file"
disable

# Permissions and bad values.
is "$(stat -c %a $dir/uprobe_events $dir/trace_pipe $dir/uprobe_profile | paste -sd' ')" "640 440 440" "only root may read and write"
check_fails "an offset past the end of the file is refused" define "p $prog:0x7ffffff"
check_fails "a group with the name of a file in events/ is refused" define "p:enable/x $tick"
check_fails "enable accepts 0 and 1 only" sh -c "echo 2 >$dir/events/enable"
clear
