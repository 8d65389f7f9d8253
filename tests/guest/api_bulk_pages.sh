#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: registering many probes of a page at once looks the page up as often as it does for two
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 7

inject=/sys/module/uprobes/parameters/inject
site=read.compat_gup_remote.get_user_pages_remote
libc=$(ldd "$progs/steps" | awk '/libc.so/ { print $3 }')
steps
base=$(awk -v path="$(readlink -f "$libc")" '$6 == path { split($1, r, "-"); print "0x" r[1]; exit }' "/proc/$pid/maps")

# Of all pages of libc, that with the most functions; one at its end lies in the next page, too.
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
check "there are $n functions in a page" test $n -ge 8
last=$((n - 1))

passed() { awk -v site=$site '$1 == site { n += $3 } END { print n }' /sys/kernel/debug/uprobes-inject; }
# looked_up VERB RANGE...: how often pages were, to do that to each of them.
looked_up() {
	verb=$1
	shift
	before=$(passed)
	for range in "$@"; do
		run "$verb" "$range" || echo failed
	done
	echo $(($(passed) - before))
}

# Calls are counted while one is to fail, which none comes to here.
echo $site:1000000 >$inject
at_exit "echo off >$inject"
# From now on the page is the process's own.
run register 0-$last
run unregister 0-$last
two=$(looked_up register 0-1)
two_less=$(looked_up unregister 0-1)
is "$(looked_up register 0-$last)" "$two" "all $n take as many as two to be registered"
is "$(looked_up unregister 0-$last)" "$two_less" "and to be unregistered"
check "which is one at least" test "$two" -ge 1
check "and one at least" test "$two_less" -ge 1
# shellcheck disable=SC2046
check "one by one they take more" test "$(looked_up register $(seq 0 $last))" -ge $n
run unregister 0-$last
check "the text is what it was" "$progs/textcmp" "$pid"
end_steps
