#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a forked child looks up each page of the probed text a few times, however many places are probed there
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 7

inject=/sys/module/uprobes/parameters/inject
site=read.compat_gup_remote.get_user_pages_remote
# 64 functions and the fork itself are on five pages. Each is looked up once or twice.
few=12

passed() { awk -v site=$site '$1 == site { n += $3 } END { print n }' /sys/kernel/debug/uprobes-inject; }

# start [ARGUMENT]: start the program; sets pid, and where[N] to the address of each place.
start() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	: >"$out"
	"$progs/forks_on" "$@" <"$tmp/in" >"$out" &
	pid=$!
	exec 3>"$tmp/in"
	until_is 1 grep -c '^$' "$out"
	mapfile -t where < <(grep 0x "$out")
}

enough() { [ "$(passed)" -ge $((before + 100)) ]; }

# fork_on: let the program fork for a while; sets children and took, the number of look-ups for each.
fork_on() {
	# Calls are counted only while injection is on. The number is so high that no call fails.
	echo $site:1000000 >$inject
	before=$(passed)
	echo >&3
	wait_until "children look up pages" enough
	exec 3>&-
	wait "$pid"
	took=$(passed)
	echo off >$inject
	children=$(awk '/children/ { print $1 }' "$out")
	took=$(((took - before) / children))
	echo "# $children children, $took look-ups each"
}

start
for n in "${!where[@]}"; do
	set_probe "$n" pid="$pid" vaddr="${where[n]}"
done
all=0-$n
check "$((n + 1)) places of a process are probed" run register "$all"
fork_on
like "$(tail -n 1 "$out")" ' 0 harmed$' "children have the original text"
check "a child that is not probed looks up few pages" test "$took" -le $few
run unregister "$all"

start probed
read -r text at < <(awk '/forks_on/ && $2 == "r-xp" { split($1, r, "-"); print "0x" r[1], "0x" $3; exit }' "/proc/$pid/maps")
for n in "${!where[@]}"; do
	set_probe "$n" path="$progs/forks_on" offset=$((where[n] - text + at))
done
check "these places of the file are probed" run register "$all"
fork_on
like "$(tail -n 1 "$out")" ' 0 harmed$' "children execute the probed text"
is "$(hits 0) $(hits 63)" "$children $children" "the hits of all children are counted"
check "a child that is probed looks up few pages" test "$took" -le $few
