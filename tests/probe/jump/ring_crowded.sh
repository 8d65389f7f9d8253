#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the work for the hits in a ring does not grow with the probes at a place, whatever the program writes there
# full: the time of the default run is used up
# once: ring_ends covers the differences between kernels
# cpus: 2
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/ring.inc"
ktap_plan 11

# The sessions, each of which has a probe at the place: their files.
sessions=()

# more N: open sessions until there are N.
more() {
	local fd

	while [ ${#sessions[@]} -lt "$1" ]; do
		exec {fd}<>$dir/session
		echo "buffer_size_kb 4096" >&$fd
		# Without arguments, records are as small as they can be.
		echo "p:calls $call" >&$fd
		sessions+=("$fd")
	done
}

# fewer N: close the last sessions until there are N.
fewer() {
	local fd

	while [ ${#sessions[@]} -gt "$1" ]; do
		fd=${sessions[-1]}
		exec {fd}>&-
		unset 'sessions[-1]'
	done
}

# got: print how many records each session has got.
got() {
	local fd

	for fd in "${sessions[@]}"; do
		drain <&"$fd" | grep -c 'calls: '
	done | xargs
}

chmod 755 "$tmp" "$prog"
jump 1
clear
# A processor whose ring has no page gets none while the place traps.
ringed taskset 1 setpriv --reuid=1000 --regid=1000 --clear-groups
more 1
check "with one probe, the place needs no trap" warm
# A worker gets the pages of the rings.
for _ in $(tries 100); do
	got >/dev/null
	tell flood 10 >/dev/null
	forged=$(got)
	[ "$forged" = 2401 ] && break
	sleep 0.1
done
is "$forged" 2401 "its probe gets all hits that the program has forged"

more 8
define "p:ninth $call"
enable
like "$(cat $dir/instrumentation)" "ninth $pid 0x[0-9a-f]+ .*more than four probes are there" "with nine probes, it traps"
is "$(jumps)" 0 "it has no jump then"
clear
got >/dev/null
tell run 2 300 >/dev/null
is "$(got)" "600 600 600 600 600 600 600 600" "each of them gets all hits"
tell flood 10 >/dev/null
is "$(got)" "2410 2410 2410 2410 10 10 10 10" "four of them get the forged hits, and the others get none"

fewer 4
check "with four probes, it needs no trap" warm
got >/dev/null
tell run 2 300 >/dev/null
is "$(got)" "600 600 600 600" "each of them gets all hits"

# A thread may be in a pad when a fifth probe comes. On a busy machine, the program may end before that.
rounds=0
without=0
for runs in $(tries 2); do
	echo "run 4 3000" >&"${program[1]}"
	until read -r -t 0 -u "${program[0]}"; do
		more 5
		fewer 4
		sleep 0.05
		[ "$(jumps)" = 0 ] || without=$((without + 1))
		rounds=$((rounds + 1))
	done
	read -r answer <&"${program[0]}"
	[ $rounds = 0 ] || break
done
diag "a probe has come and gone $rounds times, and $without times hits needed no trap behind that"
check "a fifth probe has come and gone" [ $rounds -ge 1 ]
n=$((12000 * runs))
is "$(got)" "$n $n $n $n" "the four have got all hits"
fewer 0
check "the program ends well" ringed_end
