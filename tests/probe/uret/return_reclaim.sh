#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a program misses no calls while memory is full of files that are not in use
# full: it fills memory, and return_memory tries the memory of very many calls
# once: the module's own code decides how hard the kernel tries to get memory
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 2

# unused: print the kilobytes of memory that are not in use.
unused() {
	awk '$1 == "MemFree:" { print $2 }' /proc/meminfo
}

is_stopped() {
	grep -q "^State:.T" /proc/$pid/status
}

# The table of calls must not grow in the second half. It has at least as many places as calls, and four times as
# many after it has grown.
prog=$progs/enters depth=36000 files=98304
least=$(cat /proc/sys/vm/min_free_kbytes)
at_exit 'echo $least >/proc/sys/vm/min_free_kbytes'
at_exit 'echo 0 >/proc/sys/vm/nr_hugepages'
set_probe 0 path="$prog" offset="0x$(symbol "$prog" probed_deep)" returns=1 flags=1
run register 0
"$prog" $depth >"$out" &
pid=$!
wait_until "half of the calls are entered" is_stopped
# Huge pages take the memory that is not in use, except for a little.
cat /usr/lib/x86_64-linux-gnu/*.so* | head -c $((files * 1024)) >/dev/null
echo $((($(unused) - least - 8192) / 2048)) >/proc/sys/vm/nr_hugepages
diag "$(unused) kB are not in use, at least $least kB should be"
# From now on, the kernel is to keep more memory free than it has. It drops pages of files when memory is asked for,
# a few at a time. The first to ask is the module, for the calls.
echo $((least + files)) >/proc/sys/vm/min_free_kbytes
kill -CONT $pid
wait $pid
is "$(cat "$out")" "$depth returned" "the program returns from all calls"
diag "$(unused) kB are not in use"
is "$(hits 0) $(missed 0)" "$depth 0" "each call is counted, and none is missed"
run unregister 0
