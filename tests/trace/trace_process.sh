#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: /proc/PID/mem:ADDRESS probes one process, even where no file is mapped
# once: the result depends on the module only, not on the kernel
# timeout: 90
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

ktap_plan 18

clock=$UPROBES_TOP/build/progs/cli_clock

# launch: start the program, which waits for $tmp/now; sets $process to its PID.
launch() {
	rm -f "$tmp/now" "$tmp/said"
	"$clock" "$tmp/now" >"$tmp/said" &
	process=$!
	wait_until "the program waits" grep -q waits "$tmp/said"
}

# finish: let the program run to its end.
finish() {
	: >"$tmp/now"
	wait "$process"
}

# address PID NAME: print the place of a function of the vDSO.
address() {
	uprobe offset -p "$1" libc "$2" 2>/dev/null | grep /mem:
}

launch
define "p:day $(address $process gettimeofday) tv=%di:x64"
like "$(cat $dir/uprobe_events)" "^p:uprobes/day /proc/$process/mem:0x[0-9a-f]+ tv=%di:x64$" \
	"the event is listed as it was defined"
check "the event can be enabled" enable uprobes/day
finish
is "$(lines | grep -c "cli_clock-$process .* day: (0x")" 7 "the hits are recorded"
like "$(cat "$tmp/said")" '^7 answers, .* too$' "the probed functions still work"
like "$(cat $dir/uprobe_profile)" 'day +7 +0' "uprobe_profile counts the hits"
check "after the process has ended the event can be disabled" disable uprobes/day
check_fails "after the process has ended the event cannot be enabled" enable uprobes/day
like "$(cat $dir/error_log)" 'The process whose memory this is does not exist any more' \
	"error_log says that the process does not exist any more"
clear

# Text of a file, in one process only. The program has another address in each process.
launch
other=$process
launch
main=$(where ask "$clock")
maps=$(awk -v f="$clock" '$2 ~ /x/ && $6 == f { split($1, a, "-"); print a[1], $3; exit }' /proc/$process/maps)
printf -v at '0x%x' $((0x${maps% *} - 0x${maps#* } + ${main##*:}))
define "p:asks /proc/$process/mem:$at"
check_fails "the same probe twice is refused" define "p:asks /proc/$process/mem:$at"
like "$(cat $dir/error_log)" 'this very probe already' "error_log says that the event has this probe already"
define "p:asked /proc/$other/mem:$at"
enable uprobes/asks
: >"$tmp/now"
wait $process $other
is "$(lines | grep -c "cli_clock-$process .* asks: ") $(lines | wc -l)" "7 7" "of two processes of one program, one is probed"
clear

check_fails "an argument with a file offset is refused" define "p:bad /proc/$$/mem:0x1000 @+16"
like "$(cat $dir/error_log)" 'The file offset is not a number, or not in a part' \
	"error_log says that the file offset is wrong"
: >$dir/error_log
define "p:bad /proc/$$/mem:0x1000"
check_fails "an address without text is refused when it is enabled" enable uprobes/bad
like "$(cat $dir/error_log)" 'The probe could not be put in place; the kernel log names the reason' \
	"error_log refers to the kernel log"
check_fails "the memory of a process that does not exist is refused" define "p:none /proc/4194304/mem:0x1000"
clear

# A breakpoint of the program's own.
foreign=$UPROBES_TOP/build/progs/foreign
mkfifo "$tmp/in"
: >"$tmp/said"
"$foreign" <"$tmp/in" >"$tmp/said" &
process=$!
exec 7>"$tmp/in"
wait_until "the program waits" grep -q ready "$tmp/said"
one=$(where one "$foreign")
trap_end=$(nm "$foreign" | awk '$3 == "own_trap_end" { print $1 }')
own=$((${one##*:} + 0x$trap_end - 0x$(nm "$foreign" | awk '$3 == "one" { print $1 }') - 1))
maps=$(awk -v f="$foreign" '$2 ~ /x/ && $6 == f { split($1, a, "-"); print a[1], $3; exit }' /proc/$process/maps)
define "p:own /proc/$process/mem:$(printf '0x%x' $((0x${maps% *} - 0x${maps#* } + own)))"
check_fails "a probe on the program's own breakpoint is refused" enable uprobes/own
like "$(cat $dir/error_log)" 'Another breakpoint is at this place' "error_log says that another breakpoint is there"
exec 7>&-
wait $process
clear
