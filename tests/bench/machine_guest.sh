#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Usage (in a guest, without the module loaded): tests/bench/machine_guest.sh PROCESSES
#
# Prints what it takes to probe all functions of libc in that many sleeping processes, with the
# kernel's uprobes and with ours. The clock counts instructions: a nanosecond is one.

processes=$1
tracing=/sys/kernel/tracing
mkdir -p /tmp/uprobes-bench && cp "$UPROBES_TOP/build/progs/hits" /tmp/uprobes-bench &&
	cd /tmp/uprobes-bench || exit
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug || exit
mountpoint -q $tracing || mount -t tracefs tracefs $tracing || exit

now() { date +%s%N; }

# used: print how many MB of memory are in use, without caches.
used() {
	sleep 3
	awk '{ n[$1] = $2 }
		END {
			caches = n["Buffers:"] + n["Cached:"] + n["SReclaimable:"] - n["Shmem:"]
			printf "%.1f\n", (n["MemTotal:"] - n["MemFree:"] - caches) / 1024
		}' /proc/meminfo
}

# exec_cost: print what it takes to execute /bin/true.
exec_cost() {
	./hits exec none /bin/true | awk '{ print $3 }'
}

# report SIDE BEFORE: print a line, with the memory from the variables that the caller has set.
report() {
	awk -v side="$1" -v places="$places" -v n="$processes" -v begin="$begun" -v end="$ended" \
		-v before="$before" -v during="$during" -v after="$after" -v exec="$exec" \
		'BEGIN {
			printf "%-10s %6d places, %d processes: %.0f instructions a site to begin, %.0f to end; ",
				side, places, n, begin / places / n, end / places / n
			printf "%.1f MB, %.0f bytes a site; afterwards %.1f MB; /bin/true %d\n",
				during - before, (during - before) * 1048576 / places / n,
				after - before, exec
		}'
}

insmod "$UPROBES_KO" && insmod "${UPROBES_KO%/*}/uprobes_trace.ko" || exit
libc=$(uprobe offset libc malloc)
libc=${libc%:*}
uprobe list -v libc '*' 2>/dev/null | awk '/^0x/ { print $1 }' | sort -u >offsets
places=$(wc -l <offsets)

# sleepers: start the processes that sleep.  Each side gets new ones: the kernel marks those that it has
# probed.
sleepers() {
	pids='' i=0
	while [ $i -lt "$processes" ]; do
		sleep 100000 &
		pids="$pids $!" i=$((i + 1))
	done
	sleep 1
}

# stop: end them.
stop() {
	# shellcheck disable=SC2086
	kill $pids
	# shellcheck disable=SC2086
	wait $pids 2>/dev/null
}

echo "unprobed: /bin/true $(exec_cost)"

if [ -e $tracing/uprobe_events ]; then
	awk -v libc="$libc" '{ printf "p:libc/p%d %s:%s\n", NR, libc, $1 }' offsets >definitions
	# One by one: the kernel refuses some places, and with one write all that follow.
	while read -r line; do
		echo "$line"
	done <definitions >>$tracing/uprobe_events 2>/dev/null
	all=$places places=$(grep -c libc/ $tracing/uprobe_events)
	sleepers
	before=$(used) began=$(now)
	# Some places are refused only now.
	echo 1 >$tracing/events/libc/enable 2>/dev/null
	begun=$(($(now) - began)) during=$(used) exec=$(exec_cost) began=$(now)
	echo 0 >$tracing/events/libc/enable
	ended=$(($(now) - began))
	sleep 20
	after=$(used)
	report "kernel's"
	: >$tracing/uprobe_events
	places=$all
	stop
fi

sleepers
before=$(used) began=$(now)
: >messages
uprobe count --max-probes 100000 'libc:*' >counts 2>messages &
counting=$!
until grep -q Ctrl-C messages || ! kill -0 $counting 2>/dev/null; do sleep 0.05; done
begun=$(($(now) - began)) during=$(used) exec=$(exec_cost) began=$(now)
kill -INT $counting
wait $counting
ended=$(($(now) - began))
# What is left over is freed some seconds later.
sleep 20
after=$(used)
report ours
awk '/Ending|places|missed/' messages
stop
rmmod uprobes_trace uprobes && echo "unloaded"
