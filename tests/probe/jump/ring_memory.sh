#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: hits whose arguments are in memory need no trap, and have the same text; no address hurts the program
# full: the time of the default run is used up
# cpus: 2
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 55

prog=$tmp/texts
cp "$progs/texts" "$prog"
chmod 755 "$tmp" "$prog"
place=$prog:$(($(printf '%d' 0x$(symbol "$prog" text_call)) - $(text_start "$prog")))

texts() {
	coproc program { cd "$tmp" && exec setpriv --reuid=1000 --regid=1000 --clear-groups "$prog"; }
	read -r pid <&"${program[0]}"
}

say() {
	echo "$*" >&"${program[1]}"
	read -r answer <&"${program[0]}"
	echo "$answer"
}

texts_end() {
	exec {program[1]}>&-
	wait "$pid"
}

# has_jump: check that the place has a jump.
has_jump() { [ "$(jumps)" -ge 1 ]; }

# warm: check that, after calls that do not fault.
warm() {
	say plain 100 >/dev/null
	has_jump
}

# records: print the records, from the name of the event on.
records() { grep -v '^#' $dir/trace | sed -E 's/^.*: (memory|text|node): /\1: /'; }

# A signal that is not from a fault shows nothing. The place gets hot before there is a fault, and its jump after that.
is "$(cat /sys/module/uprobes/parameters/loads)" 0 "no fault has been seen yet"
bash -c 'kill -SEGV $$' 2>/dev/null
define "p:first $place text=+0(%di):string"
enable
jump 1
texts
is "$(say null 5)" "5 25 0" "a program is probed"
for _ in {1..5}; do
	say plain 300 >/dev/null
	sleep 0.1
done
like "$(jumps) $(cat $dir/instrumentation)" "^0 .*reads memory, and the kernel has not been seen to report a fault" "its hits trap, as there was none"
"$UPROBES_TOP/userspace/uprobe" doctor >/dev/null 2>&1
is "$(cat /sys/module/uprobes/parameters/loads)" 1 "uprobe doctor has shown one"
# However long it had none, it has one soon.
say plain 300 >/dev/null
check "then the place has a jump" in_time has_jump
texts_end
disable
clear

# A place that had values by keys: its old pads are not those of records.
jump 1
exec 8<>$dir/aggregate
echo "p:keyed $place %di %dx:u8" >&8
texts
check "a place with keys has a jump" in_time warm
exec 8<&-
define "p:after $place text=+0(%di):string value=+8(%si):s64 nr=%cx"
enable
check "it gets one with loads" in_time warm
like "$(say run 100)" " 0$" "and the program goes on"
texts_end
disable
clear

events=(
	"p:text $place text=+0(%di):string nr=%dx:s64"
	"p:node $place value=+8(%si):s64 small=+24(%si):s16 tiny=+26(%si):s8 bits=+28(%si):b7@3/32 nr=%dx:s64"
	"p:text $place text=+0(%di):string name=+0(+16(%si)):ustring nr=%dx:s64"
	"p:node $place next=+8(+0(%si)):s64 third=+8(+0(+0(%si))):x64 name=+0(+16(%si)):string nr=%dx:s64"
)
cat >"$tmp/calls.sh" <<END
{
	for try in $(tries 100 | tr '\n' ' '); do
		echo plain 100
		[ "\$(cat /sys/module/uprobes/parameters/jumps)" = 0 ] || break
		sleep 0.1
	done
	cat /sys/module/uprobes/parameters/jumps >"$tmp/jumps"
	echo run 2000
} | "$prog" >/dev/null
END
for event in "${events[@]}"; do
	for on in 0 1; do
		jump $on
		clear
		echo 4096 >$dir/buffer_size_kb
		define "$event"
		enable
		texts
		[ $on = 0 ] || check "the place has a jump: ${event##* }" in_time warm
		: >$dir/trace
		say run 2000 >"$tmp/answer.$on"
		records >"$tmp/records.$on"
		texts_end
		disable
	done
	is "$(grep -c . "$tmp/records.1")" 2000 "each hit has a record"
	check "the records are the same" diff "$tmp/records.0" "$tmp/records.1"
	like "$(cat "$tmp/answer.1")" "^$(cat "$tmp/answer.0")$" "and the program has the same results"
	like "$(cat "$tmp/answer.1")" " 0$" "and no signal"

	# In units, as the helper reads them.
	clear
	"$UPROBES_TOP/userspace/uprobe" --long --buffer 4096 -c "sh $tmp/calls.sh" "$event" >"$tmp/shown" 2>"$tmp/err"
	is "$(cat "$tmp/jumps")" 1 "uprobe reads units: the place has a jump"
	like "$(cat "$tmp/err")" " 0 missed, 0 lost" "it loses none"
	tail -n 2000 "$tmp/shown" | grep -o "${event:2:4}: .*" >"$tmp/records.2"
	check "and its lines are the same" diff "$tmp/records.0" "$tmp/records.2"
done

# Threads, and a page that comes and goes.
clear
define "p:text $place text=+0(%di):string nr=%dx:s64"
enable
texts
check "the place has a jump" in_time warm
: >$dir/trace
like "$(say threads 1000)" "^1000 .* 0$" "a page that comes and goes gives no signal"
records | awk '{
	split($0, part, "\"")
	split($0, nr, "nr=")
	if (nr[2] % 4)
		wrong += part[2] != "call number " nr[2]
	else
		wrong += part[2] != "toggled" && !index($0, "(fault)")
	toggled += part[2] == "toggled"
	n++
} END { print n, wrong + 0, (toggled > 0) }' >"$tmp/threads"
is "$(cat "$tmp/threads")" "4000 0 1" "each hit has its own text"

# Memory that another thread of the program supplies, or takes away while the pad waits for it.
echo 1 >/proc/sys/vm/unprivileged_userfaultfd
at_exit "echo 0 >/proc/sys/vm/unprivileged_userfaultfd"
for end in supply drop; do
	: >$dir/trace
	like "$(say hold)" " 1 0$" "a hit waits for a page of userfaultfd"
	like "$(say $end)" " 0$" "$end: it goes on without a signal"
	[ $end = supply ] && text='"ABC.*"' || text='\(fault\)'
	like "$(records)" "text=$text nr=0" "$end: with the text that is there then"
done
like "$(say plain 100)" "^100 .* 0$" "the program goes on"

# The module goes meanwhile.
like "$(say hold)" " 1 0$" "a hit waits once more"
disable
clear
rmmod uprobes_trace
rmmod uprobes &
remover=$!
sleep 1
check "the module waits for the hit" kill -0 $remover
like "$(say drop)" " 0$" "which goes on without a signal"
check "the module goes" wait $remover
like "$(say run 100)" "^100 .* 0$" "and so does the program"
texts_end
load_module
