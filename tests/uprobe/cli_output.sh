#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper writes events and messages to the right streams, and filters, JSON and options select events
# once: the helper is the same on all kernels
# timeout: 180
# needs: perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 36

t=$tmp/traced
uprobe -c "$t all" "p:$t:ints a=%di b=%si:s32" >"$tmp/out" 2>"$tmp/err"
is "$(grep -vc ' ints: a=' "$tmp/out")" 0 "standard output has only events"
like "$(cat "$tmp/err")" '^Ending tracing\.\.\. [0-9]+ events shown, [0-9]+ hits, 0 missed, 0 lost\.$' \
	"standard error has the summary"
is "$(awk '/events shown/ { print $3 }' "$tmp/err")" \
	"$(uprobe count -c "$t all" "p:$t:ints" 2>/dev/null | awk 'NR == 2 { print $1 }')" "all hits are shown"

uprobe -H -o "$tmp/file" -c "$t all" "p:$t:ints" >"$tmp/out" 2>/dev/null
is "$(wc -c <"$tmp/out")" 0 "-o leaves standard output empty"
like "$(head -n 1 "$tmp/file")" '^# .*TASK-PID .*FUNCTION' "-H writes headers"

# An independent parser reads the JSON.
uprobe --json -c "$t all" "p:$t:text s=+0(%di):string n=+0(%di):u8[3] x=%di" >"$tmp/out" 2>/dev/null
uprobe -c "$t all" "p:$t:text s=+0(%di):string" >"$tmp/plain" 2>/dev/null
is "$(wc -l <"$tmp/out")" "$(wc -l <"$tmp/plain")" "--json prints one line for each event"
perl -MJSON::PP -ne '$o = decode_json($_); die unless $o->{event} eq "text" && $o->{tid} > 0
	&& $o->{address} =~ /^0x/ && exists $o->{args}{s} && ref $o->{args}{n} eq "ARRAY";
	print "text: s=", defined $o->{args}{s} ? "\"$o->{args}{s}\"" : "(fault)", "\n"' \
	"$tmp/out" >"$tmp/decoded" 2>"$tmp/err"
is "$?" 0 "each JSON line can be decoded"
diag "$(head -n 3 "$tmp/err")"
fields "$tmp/plain" >"$tmp/expected"
is "$(grep -v '"\.\.\.' "$tmp/decoded")" "$(grep -v '"\.\.\.' "$tmp/expected")" \
	"JSON has the same values as text output"

# The last byte of this name is 0xa0, which is white space in Latin-1.
cp "$t" "$tmp/voilà"
uprobe -c "$tmp/voilà ticks 1 3" "p:$tmp/voilà:tick n=%di" >"$tmp/out" 2>"$tmp/err"
is "$(grep -c "voilà-.* tick: n=" "$tmp/out")" 3 "a program whose name has an à is traced"
diag "$(cat "$tmp/err")"

# Filters.
uprobe -c "$t all" "p:$t:text s=+0(%di):string" 's ~ "*"' >"$tmp/out" 2>/dev/null
isnt "$(wc -l <"$tmp/out")" 0 "a filter with a matching pattern shows events"
uprobe -c "$t all" "p:$t:text s=+0(%di):string" 's == "no such string"' >"$tmp/out" 2>/dev/null
is "$(wc -l <"$tmp/out")" 0 "a filter with another string shows nothing"
uprobe -c "$t all" "p:$t:text s=+0(%di):string" 'size > 4' >"$tmp/out" 2>"$tmp/err"
is "$?" 2 "a filter for a value that is not recorded is an error"
like "$(cat "$tmp/err")" 'asks for size.* s$' "the error lists the recorded values"

# Options that select processes.
mkfifo "$tmp/go"
"$t" -w all <"$tmp/go" >"$tmp/id" &
exec 7>"$tmp/go"
wait_until "the program waits" test -s "$tmp/id"
one=$(head -n 1 "$tmp/id")
start -p "$one" "p:$t:ints"
"$t" all >/dev/null
echo >&7
wait %1
stop
is "$(grep -c "traced-$one " "$tmp/out")" "$(wc -l <"$tmp/out")" "-p shows only events of this process"
isnt "$(wc -l <"$tmp/out")" 0 "-p shows some events"
cp "$t" "$tmp/other"
start --comm other "p:$t:ints" "p:$tmp/other:text"
"$t" all >/dev/null
"$tmp/other" all >/dev/null
stop
is "$(grep -c 'other-' "$tmp/out")" "$(wc -l <"$tmp/out")" "--comm shows only tasks of this name"

cp "$t" "$tmp/a-name-of-more-than-fifteen"
start --comm a-name-of-more-than-fifteen "p:$tmp/a-name-of-more-than-fifteen:text"
"$tmp/a-name-of-more-than-fifteen" all >/dev/null
stop
isnt "$(wc -l <"$tmp/out")" 0 "--comm works with a name that the kernel cuts to 15 characters"

# The helper must not pass control characters of a program to the terminal.
start "p:$t:text s=+0(%di):string"
cp "$t" "$tmp/$(printf 'e\033[2J')"
"$tmp/$(printf 'e\033[2J')" all >/dev/null
stop
is "$(grep -c "$(printf '\033')" "$tmp/out")" 0 "control characters in a program's name are not printed"

# Strings that are cut.
uprobe --str 4 -c "$t all" "p:$t:text s=+0(%di):string n=%di:u8" >"$tmp/out" 2>/dev/null
like "$(cat "$tmp/out")" ' s="some"\.\.\. n=[0-9]+$' "--str cuts strings, but no other values"
uprobe --json --str 4 -c "$t all" "p:$t:text s=+0(%di):string" 2>/dev/null | perl -MJSON::PP -ne \
	'print decode_json($_)->{args}{s}, "\n"' >"$tmp/out"
is "$(sort -u "$tmp/out")" '"some"...' "--str marks cut strings in JSON, too"
uprobe --max-probes 1 "p:$t:text" "p:$t:ints" 2>"$tmp/err"
is "$?" 2 "--max-probes: more probes are refused"
like "$(cat "$tmp/err")" 'have 2 places, .*--max-probes 2' "--max-probes: the error tells the number to allow"

# Options that select users, threads and children.
uprobe --uid 12345 -c "$t all" "p:$t:text" >"$tmp/out" 2>/dev/null
is "$(wc -l <"$tmp/out")" 0 "--uid: events of other users are not shown"
uprobe --uid 0 -c "$t all" "p:$t:text" >"$tmp/out" 2>/dev/null
isnt "$(wc -l <"$tmp/out")" 0 "--uid: events of this user are shown"
ask='mkdir "$ARGV[0]/asks$$"; while (1) { getppid; select undef, undef, undef, 0.02 }'
perl -e "$ask" "$tmp" &
one=$!
perl -e "$ask" "$tmp" &
two=$!
for process in $one $two; do
	wait_until "process $process has loaded its libraries" test -d "$tmp/asks$process"
done
uprobe -L $one -M 5 p:libc:getppid >"$tmp/out" 2>/dev/null
is "$(grep -c -- "-$one " "$tmp/out") $(wc -l <"$tmp/out")" "5 5" "-L: only events of this thread are shown"
uprobe -p $two -M 5 p:libc:getppid 'common_pid > 1' >"$tmp/out" 2>/dev/null
is "$(grep -c -- "-$two " "$tmp/out") $(wc -l <"$tmp/out")" "5 5" "-p works with a filter"
kill $one $two
rm "$tmp/go"
mkfifo "$tmp/go"
bash -c 'read -r _; "$0" all; "$0" all' "$t" <"$tmp/go" >/dev/null &
parent=$!
exec 9>"$tmp/go"
start -f -p $parent "p:$t:text"
echo >&9
wait $parent
stop
is "$(wc -l <"$tmp/out")" "$((2 * $(uprobe count -c "$t all" "p:$t:text" 2>/dev/null | awk 'NR == 2 { print $1 }')))" \
	"-f: events of processes that the -p process starts are shown"
diag "$(cat "$tmp/err")"
isnt "$(grep -vc -- "-$parent " "$tmp/out")" 0 "-f: these events are of other processes"

uprobe -s -c "$t all" "p:$t:text" >"$tmp/out" 2>/dev/null
like "$(cat "$tmp/out")" ' text:.*
 =>  <[0-9a-f]{16}>' "-s: a stack follows each event"

# A definition contains the bytes that the helper has seen at the address.
line=$(uprobe resolve -v "p:$t:text")
like "$line" ' expect=([0-9a-f]{2})+$' "resolve -v shows the expected bytes"
echo "$line" >$dir/uprobe_events && echo >$dir/uprobe_events
check_fails "a definition with other bytes is refused" sh -c "echo '${line%%expect=*}expect=0f0b' >$dir/uprobe_events"
echo >$dir/uprobe_events

# JSON and filters have both the process and the thread.
start --json "p:$t:tick"
"$t" ticks 2 3 &
wait $!
stop
is "$(grep -c "\"pid\":$!,\"tid\":" "$tmp/out") $(wc -l <"$tmp/out")" "6 6" "JSON has the process ID of a thread"
is "$(grep -c "\"pid\":$!,\"tid\":$!," "$tmp/out")" 0 "JSON has a different thread ID"
"$t" -w ticks 2 3 <"$tmp/go" >"$tmp/id" &
one=$!
exec 9>"$tmp/go"
start "p:$t:tick" "pid == $one"
"$t" ticks 1 5
echo >&9
wait $one
stop
is "$(wc -l <"$tmp/out")" 6 "a filter can select a process"

# Patterns that match several functions.
uprobe -c "$t all" "p:$t:t[ei]*" >"$tmp/out" 2>/dev/null
is "$(fields "$tmp/out" | sed 's/:.*//' | sort -u | xargs)" "text" "a pattern traces all matching functions"
uprobe --max-probes 1 -c "$t all" "p:$t:t[ei]*" >"$tmp/out" 2>"$tmp/err"
like "$? $(cat "$tmp/err")" "^2 .*the probes have [0-9]+ places, more than 1; allow them with --max-probes [0-9]+" \
	"a pattern with more matches than --max-probes is refused"
