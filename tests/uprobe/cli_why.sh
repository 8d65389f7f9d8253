#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if the helper shows no events, or fewer than hits, it says why
# once: the helper is the same on all kernels
# timeout: 60
# needs: perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

t=$tmp/traced

# why ARGUMENT...: trace "traced ticks 1 5", and print the helper's notes.
why() {
	start "$@"
	"$t" ticks 1 5
	stop
	grep 'note: \|^Ending' "$tmp/err"
}

ktap_plan 18
like "$(why "p:$t:tick n=%di:s32" 'n > 3 || n < 0')" "note: 4 hits are not shown: the filter rejects them" \
	"a note names the filter"
like "$(why "p:$t:tick n=%di:s32" 'n > 30')" "note: hits that the filter rejects by a register alone are not counted" \
	"a note tells that a filter may keep hits from being counted"
like "$(why --comm nobody "p:$t:tick")" 'note: 5 hits were in tasks with names other than "nobody" \(--comm\)' \
	"a note names the task name of --comm"
like "$(why --uid 65534 "p:$t:tick")" "note: 5 hits were in tasks of users other than 65534 \(--uid\)" \
	"a note names the user of --uid"
is "$(why "p:$t:tick" | grep -c note)" 0 "if all hits are shown, there is no note"
like "$(why "p:$t:text")" "note: no process uses $t at the moment" "a note says that no process uses the file"
like "$(why count "p:$t:text")" "note: no process uses $t at the moment" \
	"count: a note says that no process uses the file"
like "$(why count --comm nobody "p:$t:tick")" 'note: only hits of tasks with the name "nobody" are counted \(--comm\)' \
	"count: a note names the task name of --comm"
like "$(why lat --uid 65534 "$t:tick")" "note: only hits of user 65534 are counted \(--uid\)" \
	"lat: a note names the user of --uid"

mkdir "$tmp/its"
cp "$t" "$tmp/its"
"$tmp/its/traced" slow 10000 &
one=$!
maps() { grep -q "$tmp/its/traced" /proc/$one/maps; }
maps_code() { grep -q "$t" /proc/$one/maps; }
wait_until "the program runs" maps
like "$(why "p:$t:text")" "note: process $one uses another traced than $t: $tmp/its/traced; trace with -p $one, or name that path" \
	"a note says that a process uses another file of this name"
rm "$tmp/its/traced"
like "$(why "p:$t:text")" "note: process $one uses another traced than $t; trace with -p $one$" \
	"a note says so, too, if that file is deleted"
is "$(why -p $one "p:traced:text" | grep -c note)" 0 "if -p selects that process, there is no note"
kill $one

# The text of a function is other in a process than in the file.
"$t" slow 10000 &
one=$!
wait_until "the program runs" maps_code
place=$(uprobe offset "$t" text)
perl -e '
	my ($pid, $file, $offset) = @ARGV;
	open my $maps, "<", "/proc/$pid/maps";
	for (<$maps>) {
		/^([0-9a-f]+)-\S+ r-xp ([0-9a-f]+) .*\Q$file\E$/ or next;
		open my $mem, "+<", "/proc/$pid/mem" or die;
		sysseek $mem, hex($1) - hex($2) + oct($offset), 0;
		syswrite $mem, "\x0f\x1f\x00";
	}' $one "$t" "${place#*:}"
other='0x[0-9a-f]+ cannot be probed: other bytes \(0f 1f 00.*than the caller expects'
for how in "" count lat stacks; do
	like "$(why $how -p $one "p:$t:text")" "note: .*(text|${place#*:}|a probe) is missing in a process: $other" \
		"${how:-events}: a note says why a function is not probed in the process"
done
like "$(why flow -p $one "$t:text")" "note: a probe is missing in a process: $other" "flow: likewise"
like "$(why count -p $one "p:$t:tick" "p:$t:text")" "note: text is missing" "count: of several, it names the function"
kill $one
