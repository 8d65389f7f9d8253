#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: calls are timed in the program, and each of them has returned, has been left, or is known to a handler
# full: insn_timed has the pads on the host; this has threads, signals, and a program that forges times
# once: jump_foreign covers the differences between kernels
# cpus: 2
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 28

times=/sys/module/uprobe_times/parameters
at_exit "rmmod uprobe_times 2>/dev/null"

# load PROGRAM FUNCTION: time it in a new copy of the program.
load() {
	rmmod uprobe_times 2>/dev/null
	cp "$progs/$1" "$tmp/$1"
	chmod 755 "$tmp" "$tmp/$1"
	start=$(text_start "$tmp/$1")
	rets "$tmp/$1" "$2" >"$tmp/rets"
	ends=$(awk -v start="$start" '{ printf "%s%d", (NR > 1 ? "," : ""), $1 - start }' "$tmp/rets")
	belows=$(awk '{ printf "%s%d", (NR > 1 ? "," : ""), $2 }' "$tmp/rets")
	insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_times.ko" "path=$tmp/$1" \
		"offset=$((0x$(symbol "$tmp/$1" "$2") - start))" "ends=$ends" "belows=$belows"
}

# get: set begun, known, unknown, n, sum, least, largest and left.
get() {
	# shellcheck disable=SC2034 # some are not used
	read -r begun known unknown n sum least largest left <$times/times
}

# between NUMBER LEAST LARGEST THING
between() {
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || echo "# $1 is not between $2 and $3"
	check "$4" [ "$1" -ge "$2" -a "$1" -le "$3" ]
}

begin() {
	coproc program { exec setpriv --reuid=1000 --regid=1000 --clear-groups "$tmp/timed"; }
	read -r answer pid <&"${program[0]}"
}

tell() {
	echo "$*" >&"${program[1]}"
	read -r answer <&"${program[0]}"
}

# warm N WORDS...: have the program carry this out N times, with a pause for the jumps.
warm() {
	total=$1
	for _ in $(seq "$total"); do
		tell "${@:2}"
		sleep 0.2
	done
	get
	# shellcheck disable=SC2046
	printf '# %s\n' "$(cat $times/traps)"
}

end() {
	exec {program[1]}>&-
	wait "$pid"
}

jump 1
load timed fib
begin
warm 20 fib 15
is "$((n + unknown))" "$((20 * answer))" "recursive calls: each has returned"
is "$begun $left" "$unknown 0" "recursive calls: handlers know the beginnings of the others, and none was left"
check "recursive calls: most were timed in the program" [ $((known + unknown)) -lt $((n / 2)) ]
check "recursive calls: the times can be" [ "$least" -le "$largest" -a "$((sum / n))" -ge "$least" -a "$((sum / n))" -le "$largest" ]
first="$n $sum $least $largest $left"
echo 0 >$times/registered
get
is "$n $sum $least $largest $left" "$first" "the times are there after the end of the probes"
tell fib 15
echo 1 >$times/registered
warm 3 fib 15
is "$((n + unknown))" "$((23 * answer))" "the next registration continues them"
end
echo 0 >$times/registered
get
is "$((n + unknown))" "$((23 * answer))" "nothing is lost with the process"

load timed leaves
begin
warm 10 leave 3000
is "$((n + unknown))" 20000 "calls that longjmp() leaves: the others have returned"
# The last one may be under way still.
between $((left + begun - unknown)) 9999 10000 "calls that longjmp() leaves: they are left"
end

load timed deep
begin
warm 10 threads 500
is "$((n + unknown)) $left" "120000 0" "threads: all calls have returned"
check "threads: most were timed in the program" [ $((known + unknown)) -lt $((n / 2)) ]
end

load timed waits
begin
warm 10 swap 300
is "$((n + unknown)) $left" "6000 0" "coroutines: all calls have returned"
end

# around WORDS...: tell this, and set $around to the nanoseconds that it took, and some more: the clocks may differ.
around() {
	around=${EPOCHREALTIME/./}
	tell "$@"
	around=$(((${EPOCHREALTIME/./} - around) * 1000 + 20000000))
}

load timed sleeps
begin
warm 4 sleep 1
around sleep 200
get
is "$((n + unknown)) $left" "5 0" "a call that sleeps returns"
between "$largest" 200000000 "$around" "it takes as long as it takes"
end

# Two calls that need the same slot: the one that is older than a second gives way, and is known all the same.
load timed sleeps
begin
warm 4 sleep 1
were="$begun $((n + unknown))"
around collide 3000
get
is "$begun $((n + unknown)) $left" "${were% *} $((${were#* } + 2)) 0" "of two calls with the same slot, both are in the table, and return"
between "$largest" 3400000000 "$around" "the older one takes as long as it takes"
end

# A program may map memory over the table.
load timed deep
begin
warm 5 threads 200
tell cover 500
is "$answer" "0 changed" "memory over the table is not written to"
get
is "$((n + unknown))" "$((5 * 4800 + 3000))" "and no call is lost"
end

# A thread that stops anywhere in the pads.
for thing in "jumps 50" "storm 5000"; do
	load signals work
	# shellcheck disable=SC2086
	"$tmp/signals" $thing >"$tmp/out" 2>"$tmp/err"
	get
	all="$((n + unknown)) $((n + left + begun))"
	rmmod uprobe_times
	jump 0
	load signals work
	# shellcheck disable=SC2086
	"$tmp/signals" $thing >"$tmp/out.0" 2>"$tmp/err"
	get
	is "${all% *}" "$unknown" "$thing: as many calls return as with traps"
	between $((begun - ${all#* })) 0 1 "$thing: as many begin, but for one that is under way"
	is "$(cat "$tmp/out")" "$(cat "$tmp/out.0")" "$thing: the output is that without jumps"
	jump 1
done

# The table, and the times, are the program's own memory.
load timed deep
begin
warm 5 threads 200
warm 2 forge 2000
is "$answer" done "a program that forges its calls goes on"
check "only so many of them as it can have made are believed" [ "$n" -lt 1000000000000 ]
end
begin
echo 0 >$times/registered
get
before=$((n + unknown))
echo 1 >$times/registered
warm 3 threads 200
is "$((n + unknown - before))" "$((3 * 4800))" "another program's calls are right"
end
check "the client can go" rmmod uprobe_times
