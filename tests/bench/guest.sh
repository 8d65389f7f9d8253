#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Usage (in a guest, without the module loaded): tests/bench/guest.sh counted|timed [quick]
#
# Measures our module and the kernel's uprobes in turn, and prints lines "SIDE CASE INSN FIGURE";
# tests/bench/hits makes a table of them. Both sides look at each breakpoint, so the modules of the
# other side are unloaded while one side is measured.

how=$1 quick=${2:-}
kmod=$(dirname "$UPROBES_KO")/tests/kmod
mkdir -p /tmp/uprobes-bench && cp "$UPROBES_TOP/build/progs/hits" "$UPROBES_TOP/build/progs/hits_jump" \
	"$UPROBES_TOP/build/progs/hits_fork" /tmp/uprobes-bench &&
	cp /tmp/uprobes-bench/hits /tmp/uprobes-bench/other || exit
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug || exit
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing || exit

# hits SIDE WORK [NUMBER]: run a measurement, and print its lines with SIDE in front.
hits() {
	side=$1 work=$2
	shift 2
	/tmp/uprobes-bench/hits "$work" "$side" "$@" >/tmp/uprobes-bench/out ||
		{ echo "# $side $work failed" >&2; return 1; }
	sed "s/^/$side /" /tmp/uprobes-bench/out
}

# both SIDE: run the measurements that both sides have.
both() {
	case $how,$quick in
	timed,quick)
		hits "$1" hits mov
		;;
	timed,)
		hits "$1" hits
		;;
	counted,quick)
		hits "$1" hits mov
		;;
	counted,)
		hits "$1" hits
		hits "$1" events
		hits "$1" among 1
		hits "$1" among 1000
		if [ "$round" = 1 ]; then
			hits "$1" among 100000
			hits "$1" attach
			hits "$1" memory
		fi
		;;
	esac
}

load() {
	insmod "$UPROBES_KO" && insmod "${UPROBES_KO%/*}/uprobes_trace.ko" && insmod "$kmod/bench_ours.ko" || exit
	# Only hits_jump measures what needs no trap.
	echo 0 >/sys/module/uprobes/parameters/jump
}

unload() {
	rmmod bench_ours uprobes_trace uprobes || exit
}

# idle SIDE [OTHER]: measure a program without probes; if OTHER is given, that file has probes.
idle() {
	if [ "$how" = counted ]; then
		/tmp/uprobes-bench/hits idle ours ${2:+"$2"} | sed "s/^/$1 /"
	fi
}

# pages: count the calls of all functions of libc without traps. Print how many there are, and how many
# pages of the program's memory the pads and their counters take.
pages() {
	cd /tmp/uprobes-bench || return
	echo 1 >/sys/module/uprobes/parameters/jump
	echo 1 >/sys/module/uprobes/parameters/jump_after
	uprobe list -v libc '*' | awk '/^0x/ { print substr($1, 3) }' | sort -u >offsets
	mkfifo in
	{ wc -l <offsets; cat offsets in; } | "$UPROBES_TOP/build/progs/call_all" libc.so.6 >called &
	exec 4>in
	until [ -s called ]; do sleep 0.1; done
	read -r caller <called
	# The slots of all places are in another mapping of the same file, which is there before.
	uprobe count --max-probes 100000 -p "$caller" 'p:libc:*' >/dev/null 2>counting &
	until grep -q Ctrl-C counting || ! kill -0 $!; do sleep 0.1; done
	slots=$(resident r-xp)
	jumps=0 before=-1
	until [ "$jumps" = "$before" ] && [ "$jumps" != 0 ]; do
		echo go >&4
		sleep 5
		before=$jumps
		read -r jumps </sys/module/uprobes/parameters/jumps
	done
	echo "ours pages jumps-in-libc $jumps"
	echo "ours pages pads $(($(resident r-xp) - slots))"
	echo "ours pages counters $(resident rw-s)"
	kill -INT $!
	wait $!
	exec 4>&-
	rm in
	echo 64 >/sys/module/uprobes/parameters/jump_after
}

# resident MODE: print the number of the program's pages that the module has mapped so.
resident() {
	awk -v mode="$1" '/^[0-9a-f]+-/ { ours = $2 == mode && /\[uprobes\]/ }
		ours && $1 == "Rss:" { n += $2 / 4 }
		END { print n + 0 }' "/proc/$caller/smaps"
}

for round in 1 ${quick:-2}; do
	[ "$round" != quick ] || break
	idle none
	if [ -e "$kmod/bench_peer.ko" ] && insmod "$kmod/bench_peer.ko"; then
		both peer
		rmmod bench_peer || exit
	fi
	load
	idle loaded
	idle probes /tmp/uprobes-bench/other
	both ours
	if [ "$how$quick" = counted ]; then
		/tmp/uprobes-bench/hits_jump | sed 's/^/ours /'
		if [ "$round" = 1 ]; then
			/tmp/uprobes-bench/hits_fork | sed 's/^/ours /'
			pages
		fi
	fi
	if [ "$how$round" = timed1 ]; then
		hits ours threads ${quick:+1}
	fi
	unload
done
