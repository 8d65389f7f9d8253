#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: registering many probes of one page in one call looks the page up as often as registering two
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 7

inject=/sys/module/uprobes/parameters/inject
site=read.compat_gup_remote.get_user_pages_remote
libc=$(ldd "$progs/steps" | awk '/libc.so/ { print $3 }')
steps
base=$(awk -v path="$(readlink -f "$libc")" '$6 == path { split($1, r, "-"); print "0x" r[1]; exit }' "/proc/$pid/maps")

# Use the page of libc with the most functions. Ignore functions at its end, whose instruction may
# reach into the next page.
readelf -Ws --dyn-syms "$libc" | awk '
	$4 == "FUNC" && $7 != "UND" && $3 > 20 && !seen[$2]++ {
		at = $2
		sub(/^0+/, "", at)
		page = substr(at, 1, length(at) - 3)
		if (substr(at, length(at) - 2) < "ff0")
			list[page] = list[page] " " at
		if (split(list[page], found, " ") > most) {
			most = split(list[page], found, " ")
			best = page
		}
	}
	END { print list[best] }' >"$tmp/functions"
n=0
# shellcheck disable=SC2013
for at in $(cat "$tmp/functions"); do
	set_probe $n pid="$pid" vaddr=$((base + 0x$at)) flags=1
	n=$((n + 1))
done
check "a page has at least 8 functions ($n)" test $n -ge 8
last=$((n - 1))

passed() { awk -v site=$site '$1 == site { n += $3 } END { print n }' /sys/kernel/debug/uprobes-inject; }
# looked_up VERB RANGE...: print how often VERB on each RANGE has looked up a page.
looked_up() {
	verb=$1
	shift
	before=$(passed)
	for range in "$@"; do
		run "$verb" "$range" || echo failed
	done
	echo $(($(passed) - before))
}

# Calls are counted only while injection is on. The number is so high that no call fails.
echo $site:1000000 >$inject
at_exit "echo off >$inject"
# Register once before counting, so that the process has its private copy of the page.
run register 0-$last
run unregister 0-$last
two=$(looked_up register 0-1)
two_less=$(looked_up unregister 0-1)
is "$(looked_up register 0-$last)" "$two" "registering all $n takes as many look-ups as registering two"
is "$(looked_up unregister 0-$last)" "$two_less" "unregistering all $n takes as many look-ups as unregistering two"
check "registering takes at least one look-up" test "$two" -ge 1
check "unregistering takes at least one look-up" test "$two_less" -ge 1
# shellcheck disable=SC2046
check "registering one by one takes a look-up for each probe" test "$(looked_up register $(seq 0 $last))" -ge $n
run unregister 0-$last
check "the text equals the file again" "$progs/textcmp" "$pid"
end_steps
