#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: perf, trace-cmd and bpftrace get the hits, as uprobes_ko:hit and as synthetic events with fields
# once: the tools and the format of the events are the same on all kernels
# full: perf, trace-cmd and bpftrace take half a minute; trace_synthetic reads the same events in tracefs
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

synthetic=$tracefs/synthetic_events
[ -d $tracefs/events/uprobes_ko/hit ] || skip_all "this kernel has no tracefs events"
[ -e $synthetic ] || skip_all "this kernel has no synthetic events"

# skip_to N REASON: skip all results of this tool, up to the N-th.
skip_to() {
	while [ "$ktap_count" -lt "$1" ]; do
		skip "result $((ktap_count + 1))" "$2"
	done
}

# perf_record OPTION...: record, then put the output of perf script into $tmp/out. Leave out build IDs,
# which only take time. Remove commas: only some kernels put them between the fields of a synthetic
# event.
perf_record() {
	perf record -q -B -N -o "$tmp/perf.data" "$@" >"$tmp/err" 2>&1 || diag "$(cat "$tmp/err")"
	perf script -i "$tmp/perf.data" -F comm,event,ip,sym,trace 2>/dev/null |
		sed -E 's/\(0x.*\)//; s/probe_ip=[0-9]+/probe_ip=IP/; s/, / /g' | tr -s ' ' >"$tmp/out"
}

# told EVENT: print the lines of the event in $tmp/out.
told() {
	sed -n "s/^ *traced $1: //p" "$tmp/out"
}

ktap_plan $((FULL ? 17 : 14))
clear
cd "$tmp" || exit
define "p:g/ticked $(where tick) n=%di:s64 low=%di:u8"
define "p:said $(where text) s=+0(%di):string a=+0(%di):char[2] c=\$comm"
enable
echo 1 >$dir/events/g/ticked/synthetic
echo 1 >$dir/events/uprobes/said/synthetic
cat >"$tmp/run" <<END
$prog all
$prog ticks 1 5
END
said='probe_ip=IP s=some text a_0=115 a_1=111 c=traced'

if ! command -v perf >/dev/null; then
	skip_to 10 "perf is not there"
else
	perf_record -e uprobes_ko:hit -e synthetic:ticked -e synthetic:said sh "$tmp/run"
	like "$(told uprobes_ko:hit)" '^.*g:ticked: n=4 low=4 ' "perf record has the hits of all events in one"
	like "$(told uprobes_ko:hit)" "uprobes:said: s=\"some text\" a=\\{'s','o'\\} c=\"traced\" " \
		"perf record has strings in that event"
	like "$(told synthetic:ticked)" '^probe_ip=IP n=4 low=4 [0-9a-f]+ tick$' \
		"perf record has a synthetic event with fields, at the program's address"
	is "$(told synthetic:ticked | wc -l)" 5 "perf record has each hit of the synthetic event"
	like "$(told synthetic:said)" "^$said [0-9a-f]+ text\$" "perf record has strings and arrays as fields"
	perf_record -e uprobes_ko:hit --filter 'probe == "said"' -e synthetic:ticked --filter 'n > 1 && low < 4' sh "$tmp/run"
	is "$(told uprobes_ko:hit | wc -l) $(told synthetic:ticked | sed 's/ [0-9a-f]* tick//; s/.*n=//' | xargs)" "1 2 low=2 3 low=3" \
		"perf filters by fields"

	# Remove an event that perf uses.
	mkfifo "$tmp/fifo"
	perf stat -x , -o "$tmp/stat" -e synthetic:ticked sh -c "$prog ticks 1 7; : >'$tmp/go'; cat '$tmp/fifo'" &
	wait_until "perf runs its command" test -e "$tmp/go"
	check_fails "while perf uses it, a synthetic event cannot be removed" \
		sh -c "echo 0 >$dir/events/g/ticked/synthetic"
	"$prog" ticks 1 1
	check_fails "while perf uses a synthetic event, the module does not unload" rmmod uprobes_trace
	: >"$tmp/fifo"
	wait
	is "$(awk -F , '/synthetic/ { print $1 }' "$tmp/stat")" 7 "perf stat has counted the hits of its command"
	check "the synthetic event can be removed when perf has ended" \
		sh -c "echo '!ticked' >>$synthetic && echo 1 >$dir/events/g/ticked/synthetic"
fi

if ! command -v trace-cmd >/dev/null; then
	skip_to 12 "trace-cmd is not there"
else
	trace-cmd record -q -o "$tmp/trace.dat" -e uprobes_ko:hit -e synthetic:said sh "$tmp/run" >"$tmp/err" 2>&1
	trace-cmd report -i "$tmp/trace.dat" 2>/dev/null | sed 's/ip=[0-9]*/ip=IP/; s/, / /g' | tr -s ' ' >"$tmp/out"
	like "$(cat "$tmp/out")" ': hit: g:ticked: .* n=4 low=4$' "trace-cmd has the hits of all events in one"
	like "$(cat "$tmp/out")" ": said: $said\$" "trace-cmd has a synthetic event by its own name"
fi

# bpftrace compiles its program, which takes an emulator half a minute.
if [ -z "${FULL:-}" ]; then
	:
elif ! command -v bpftrace >/dev/null; then
	skip_to 15 "bpftrace is not there"
elif ! [ -e /sys/kernel/btf/vmlinux ]; then
	skip_to 15 "this kernel has no BTF"
else
	bpftrace -e 'tracepoint:uprobes_ko:hit { @[str(args->probe)] = count(); printf("%s%s\n", comm, str(args->args)); }
		tracepoint:synthetic:ticked /args->n > 2/ { @sum = sum(args->n); }' -c "/bin/sh $tmp/run" >"$tmp/out" 2>&1
	like "$(cat "$tmp/out")" '^traced n=4 low=4$' "bpftrace has the hits of all events in one"
	is "$(grep '@\[' "$tmp/out" | xargs)" "@[said]: 1 @[ticked]: 5" "bpftrace counts the hits of each event in a map"
	like "$(cat "$tmp/out")" '^@sum: 7$' "bpftrace has a synthetic event by its own name"
fi

# The end, when nobody listens any more.
"$prog" ticks 1 2
disable
clear
is "$(cat $synthetic)" "" "no synthetic event is left"
check "the module unloads" rmmod uprobes_trace uprobes
load_module
