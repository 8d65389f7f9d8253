#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Usage (in a guest, without the module loaded): tests/bench/events_guest.sh CALLS
#
# Prints for each tool: how many events are in its file; how many the tool says are lost; instructions for each call, of
# the tool with the program, and of the program alone, both with what the kernel does for them, and without those of a
# run without a tool. The shell's clock for the former has 10 million instructions.

calls=$1
uprobe=$UPROBES_TOP/userspace/uprobe
mkdir -p /tmp/events && cd /tmp/events && cp "$UPROBES_TOP/build/progs/mallocs" . || exit
libc=$(ldd ./mallocs | awk '/libc\.so/ { print $3 }')
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug || exit
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing || exit

# row WHAT EVENTS LOST TOTAL OWN CALLS
row() {
	awk -v what="$1" -v events="$2" -v lost="$3" -v total="$4" -v own="$5" -v calls="$6" 'BEGIN {
		printf "%-44s %9d events %9s lost %9.0f instructions a call, %9.0f of the program\n",
			what, events, lost, total / calls, own / calls
	}'
}

# spent: print the processor time of all commands so far, in nanoseconds.
spent() {
	awk 'NR == 2 { gsub(/[ms]/, " "); printf "%.0f\n", ($1 * 60 + $2 + $3 * 60 + $4) * 1e9 }' times
}

# took COMMAND...: run it; the result is in $total and $own.
took() {
	rm -f own
	times >times
	begun=$(spent)
	"$@" >out 2>err
	times >times
	total=$(($(spent) - begun - bare))
	own=$(($(cat own 2>/dev/null || echo 0) - bare_own))
}

bare=0 bare_own=0
took ./mallocs "$calls" own
bare=$total bare_own=$own

insmod "$UPROBES_KO" && insmod "${UPROBES_KO%/*}/uprobes_trace.ko" || exit
lost() {
	sed -n 's/.* \([0-9]*\) lost\.$/\1/p' err | tail -n 1
}
for buffer in 256 8192; do
	took "$uprobe" --buffer $buffer -o file -c "./mallocs $calls own" "p:libc:malloc bytes=%di:u64 other=%si:x64"
	row "uprobe, a buffer of $buffer KB" "$(grep -c 'malloc: ' file)" "$(lost)" "$total" "$own" "$calls"
done
# Nothing is printed: what the helper takes to read and to order.
took "$uprobe" flow -o file --min 1 -c "./mallocs $calls own" libc:malloc
row "uprobe flow, entries and returns" "$(sed -n 's/.* \([0-9]*\) events,.*/\1/p' err)" "$(lost)" "$total" "$own" "$calls"
cat >loop.bash <<'END'
f() { local a=$1; [ "$a" -gt 10 ] && a=${a%0}; }
for ((i = 0; i < 300; i++)); do f $i; done
END
# What bash takes without the probes.
tool_bare=$bare tool_own=$bare_own bare=0 bare_own=0
took bash loop.bash
bare=$total
took "$uprobe" flow -o file --min 1 -c "bash loop.bash" 'bash:*'
events=$(sed -n 's/.* \([0-9]*\) events,.*/\1/p' err)
row "uprobe flow on all functions of bash" "$events" "$(lost)" "$total" 0 "${events:-1}"
bare=$tool_bare bare_own=$tool_own
rmmod uprobes_trace uprobes

if command -v perf >/dev/null; then
	perf probe -q -x "$libc" 'many=malloc bytes=%di:u64 other=%si:x64' >/dev/null 2>&1
	took perf record -q -e 'probe_libc:many*' -o perf.data ./mallocs "$calls" own
	row "perf record" "$(perf report -i perf.data --stats 2>/dev/null | awk '/SAMPLE events/ { n = $3 } END { print n + 0 }')" \
		"$(perf report -i perf.data --stats 2>/dev/null | awk '/LOST events/ { n = $3 } END { print n + 0 }')" "$total" "$own" "$calls"
	perf probe -q -d 'probe_libc:*' >/dev/null 2>&1
fi
if command -v bpftrace >/dev/null; then
	# Without the condition, it records its own calls, each of which makes more.
	took bpftrace -q -o file -c "./mallocs $calls own" \
		-e "uprobe:$libc:malloc /pid == cpid/ { printf(\"%d %d %x\\n\", tid, arg0, arg1); }"
	row bpftrace "$(grep -c '^[0-9]' file)" "$(awk '/Lost/ { n += $2 } END { print n + 0 }' err out file)" "$total" "$own" "$calls"
fi

# lttng_record COMMAND...: run it with LTTng-UST's library, which records malloc() and the like in the program. The daemons
# are children of this shell, so that their time counts.
lttng_record() {
	lttng-sessiond >/dev/null 2>&1 &
	daemon=$!
	for _ in $(seq 100); do
		! lttng list >/dev/null 2>&1 || break
		sleep 0.1
	done
	lttng create bench -o "$PWD/lttng.out" && lttng enable-channel -u many --num-subbuf 4 --subbuf-size 2M &&
		lttng enable-event -u -c many lttng_ust_libc:malloc && lttng start || return
	LD_PRELOAD=$lttng_library "$@"
	lttng stop && lttng destroy
	kill "$daemon"
	wait "$daemon"
}
lttng_library=$(ldconfig -p | awk '/liblttng-ust-libc-wrapper.so/ { print $NF; exit }')
if command -v lttng >/dev/null && command -v babeltrace2 >/dev/null && [ -n "$lttng_library" ]; then
	export HOME=$PWD
	took lttng_record ./mallocs "$calls" own
	babeltrace2 lttng.out >text 2>err
	row "LTTng-UST" "$(grep -c 'lttng_ust_libc:malloc' text)" \
		"$(sed -n 's/.*discarded \([0-9]*\) event.*/\1/p' err | awk '{ n += $1 } END { print n + 0 }')" "$total" "$own" "$calls"
fi
