#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the examples of README, of docs/ and of the manual pages work as they are written
# once: the helper is the same on all kernels
# full: it waits for most of a minute; cli_* and trace_* test the same features
# timeout: 400
# needs: script perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/cli.inc"

man=userspace/uprobe.8
ktap_plan 32
mkdir "$tmp/bin"
cp "$UPROBES_TOP/build/progs/examples" "$tmp/bin/prog"
PATH=$tmp/bin:$PATH

# README comes first: of the commands that contain the same words, its own counts.
documents="README.md docs/*.md"

# block WORDS: print the commands of the documents' block of examples that contains WORDS.
block() {
	awk -v words="$1" '/^```/ { if (inside && index(text, words)) printf "%s", text; inside = !inside; text = ""; next }
		inside && sub(/^# /, "") { text = text $0 "\n" }' $documents
}

# of_documents WORDS: print the documents' first command that contains WORDS, without the remark behind it.
of_documents() {
	awk -v words="$1" '/^```/ { inside = !inside; next }
		inside && index($0, words) { sub(/^# /, ""); sub(/ +# .*/, ""); print; exit }' $documents
}

# of_manual WORDS: print the command of uprobe(8) that contains WORDS.
of_manual() {
	awk -v words="$1" '/^\.SH EXAMPLES/ { inside = 1 } /^\.SH BUGS/ { inside = 0 }
		inside { gsub(/\\-/, "-") }
		inside && index($0, words) && sub(/^\.B /, "") { print; exit }' $man
}

# example LINE: let the shell run LINE unchanged in the background, and wait until it traces.
example() {
	eval "start ${1#uprobe }"
}

# shows LINE TRIGGER PATTERN: run LINE, then TRIGGER, which causes events: the output matches PATTERN.
# One result.
shows() {
	example "$1"
	eval "$2"
	wait_until "$1 shows it" grep -Eqa "$3" "$tmp/out"
	stop
	like "$(cat "$tmp/out")" "$3" "$1" || diag "$(cat "$tmp/err")"
}

# ends LINE PATTERN: run LINE, which ends by itself: the output matches PATTERN. One result.
ends() {
	eval "$1" >"$tmp/out" 2>"$tmp/err" </dev/null
	like "$(cat "$tmp/out")" "$2" "$1" || diag "$(cat "$tmp/err")"
}

# shown FILE WHAT TRIGGER PATTERN: run the unchanged commands of FILE in the control directory, and
# TRIGGER before the last one, whose output matches PATTERN. Two results.
shown() {
	local reader

	clear
	cd $dir || exit
	# Stop at the first command that fails.
	sed '$d' "$1" | sed '$!s/$/ \&\&/' >"$tmp/defines"
	. "$tmp/defines" >"$tmp/said" 2>&1
	is $? 0 "$2: the commands work" || diag "$(cat "$tmp/said")"
	eval "$3"
	eval "$(tail -n 1 "$1") >\"$tmp/out\" &"
	reader=$!
	wait_until "$2: events are shown" grep -Eqa "$4" "$tmp/out"
	kill $reader 2>/dev/null
	wait $reader
	like "$(cat "$tmp/out")" "$4" "$2: events are shown"
	exec 3>&-
	cd "$UPROBES_TOP" || exit
	clear
}

# README: the example at its beginning. README and docs/: those of the helper.
# 14 seconds suffice for typing on an idle machine only: scale them.
line=$(of_documents 'uprobe -d 14')
typed() { type_lines 'echo "hello world"' 'uname -sr'; }
example "${line/-d 14/-d $((14 * ${TEST_TIMEOUT_SCALE:-1}))}"
typed
wait_until "three lines are shown" lines_in "$tmp/out" 3
stop
is "$(grep -c 'readline: arg1="' "$tmp/out")" 3 "$line"
like "$(tail -n 1 "$tmp/err")" '3 events shown, 3 hits, 0 missed, 0 lost\.$' \
	"README's first example ends with the number of events"
ends "$(of_documents "uprobe count -c 'ls /' 'p:libc:malloc'")" '^ +1  opendir$'
ends "$(of_documents 'uprobe lat -c')" '^clock_nanosleep: 3 calls, [1-9][0-9.]*s on average'
shows "$(of_documents "uprobe 'r:bash:readline")" typed 'arg1="echo "hello world""'
shows "$(of_documents 'p:prog:parse size')" prog 'size=37 path="/some/file" (opts->|opts_|)flags=5'
shows "$(of_documents 'parser.c:120')" prog 'state=42'
ends "$(of_documents "uprobe count -c 'ls /' 'p:libc:*'")" '^ +[1-9][0-9]*  [_a-z]+$'
shows "$(of_documents 'uprobe lat -i 5 libc:read')" 'cat /etc/passwd >/dev/null' '^read: [0-9]+ calls?, '

# uprobe(8).
shows "$(of_manual 'libc:sleep')" "perl -e 'sleep 1'" 'sleep: seconds=1$'
shows "$(of_manual 'libc:fopen')" 'sed -n 1p /nonexistent 2>/dev/null' 'fopen: file=0x0$'
ends "$(of_manual '--json')" '^\{.*"event":"malloc".*"bytes":[0-9]+'
ends "$(of_manual "uprobe count")" '^ +[1-9][0-9]*  [_a-z]+$'

jvm=$(readlink -f "$(command -v java)")
jvm=${jvm%/bin/java}/lib/server/libjvm.so
if [ -f "$jvm" ]; then
	# The helper looks for a library without a path in running processes.
	perl -MDynaLoader -e 'DynaLoader::dl_load_file($ARGV[0]) or die DynaLoader::dl_error();
		open my $f, ">", $ARGV[1]; sleep 1 while 1' "$jvm" "$tmp/loaded" &
	loaded=$!
	wait_until "a process has the library" test -e "$tmp/loaded"
fi
for line in "$(of_documents class__loaded)" "$(of_manual class__loaded)"; do
	if [ ! -f "$jvm" ]; then
		skip "$line" "there is no java"
	elif [[ $line == */default-java/* && ! -e /usr/lib/jvm/default-java ]]; then
		skip "$line" "there is no default-java"
	else
		shows "$line" 'java -Xint -version 2>/dev/null' 'class__loaded: name="java/lang/Object'
	fi
done
[ -z "${loaded:-}" ] || kill $loaded

# The control directory. README.md shows the offset for one version of bash: replace it.
block 'r:typed /usr/bin/bash' >"$tmp/block"
offset=$(uprobe offset bash readline)
sed -i "s,/usr/bin/bash:0x[0-9a-f]*,$offset," "$tmp/block"
shown "$tmp/block" "README's first example of the control directory" typed 'typed: .* line="uname -sr"'
block 'exec 3<>aggregate' >"$tmp/block"
shown "$tmp/block" "docs/tracefs.md's aggregate" 'ls / >/dev/null' '^malloc [1-9][0-9]* 0$'
block 'exec 3<>session' >"$tmp/block"
shown "$tmp/block" "docs/tracefs.md's session" "bash -c 'printf -v x %05000d 1; y=\$x'" 'malloc: .* size=500[0-9]$'
sed -n '/^\.SH EXAMPLES/,/^\.fi/p' man/uprobes.4 | sed '/^\./d; s/\\e/\\/g; s/\\(ti/~/g' >"$tmp/block"
is "$(grep -c . "$tmp/block")" 5 "uprobes(4) has an example"
shown "$tmp/block" "uprobes(4)'s example" "type_lines 'true sudo' uname" 'typed: .* line="true sudo"'
is "$(grep -c uname "$tmp/out")" 0 "uprobes(4)'s filter leaves out events that do not match"
# The line of uprobe(8) that does by hand what the helper does.
cd $dir || exit
sed -n '/^The same by hand/,/^\.fi/p' "$UPROBES_TOP/$man" | grep ^echo >"$tmp/block"
. "$tmp/block"
is $? 0 "uprobe(8)'s line to define the event by hand works"
like "$(cat uprobe_events)" '^p:uprobes/malloc /.*/libc.so.6:0x[0-9a-f]+ bytes=%di:u64$' \
	"uprobe(8)'s line by hand defines the event"
cd "$UPROBES_TOP" || exit
clear

# A published event: tracefs, perf and bpftrace show the sizes that malloc() gets.
if [ ! -e $tracefs/synthetic_events ]; then
	for what in "defines" "is counted" "the largest" perf bpftrace; do
		skip "a published event: $what" "this kernel has no synthetic events"
	done
	exit
fi
block malloc/synthetic >"$tmp/block"
cd $dir || exit
grep -v '^perf \|^bpftrace ' "$tmp/block" | sed '$!s/$/ \&\&/' >"$tmp/defines"
. "$tmp/defines"
is "$? $(grep -c . "$tmp/defines")" "0 4" "a published event: the commands of docs/tracefs.md work"
perl -e 'my $x = "y" x 100000'
hist=$(cat $tracefs/events/synthetic/malloc/hist)
like "$hist" 'hitcount: +[1-9]' "a published event: tracefs counts the sizes that malloc() gets"
check "a published event: tracefs counts the largest size" grep -Eq 'size: +1000[0-9]{2}' <<<"$hist"
# other_tool NAME PATTERN TRIGGER RESULT: run the tool's line and TRIGGER at the same time. RESULT prints the
# tool's output, which matches PATTERN. One result.
other_tool() {
	local line

	line=$(grep "^$1 " "$tmp/block")
	command -v "$1" >/dev/null || { skip "$line" "$1 is not there"; return; }
	(trap - INT; eval "exec $line") >"$tmp/out" 2>&1 &
	tool=$!
	eval "$3"
	wait $tool
	like "$(eval "$4")" "$2" "$line"
}
allocate() { while [ -e "/proc/$tool" ] && ! ended $tool; do perl -e 'my $x = "y" x 100000'; done; }
other_tool perf 'malloc: .*size=[1-9][0-9]{4}' allocate 'perf script -i /tmp/perf.data 2>/dev/null'
# bpftrace says that it attaches before it has attached, and before it catches SIGINT. When it waits for
# events, it has done both.
attached() { [[ $(cat /proc/$tool/wchan) == *ep*oll* ]]; }
counted() {
	wait_until "bpftrace is attached" attached
	perl -e 'my $x = "y" x 100000'
	kill -INT $tool
	in_time ended $tool && return
	diag "bpftrace does not end: $(cat /proc/$tool/{wchan,stack,status} "$tmp/out")"
	kill -KILL $tool
}
rm -f /tmp/perf.data
other_tool bpftrace '^\[64K, 128K\) ' counted 'cat "$tmp/out"'
cd "$UPROBES_TOP" || exit
echo '!hist:keys=size' >$tracefs/events/synthetic/malloc/trigger
clear
