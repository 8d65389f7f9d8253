#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: calls with our and the kernel's return probes return correctly, with tail calls, forks, exits and unregistering
# once: foreign_failed, foreign_forked and jump_foreign cover the differences between kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

ours=/sys/kernel/debug/uprobes
theirs=/sys/kernel/tracing
[ -e $theirs/uprobe_events ] || skip_all "this kernel has no uprobe_events"
ktap_plan 61

prog=$tmp/covered
cp "$progs/covered" "$prog"
plain=$(printf '\n\n' | "$prog" | tail -n 1)
all="hops lands stays leaves forks waits"

for function in $all; do
	eval "at_$function=$prog:0x$(symbol "$prog" "$function")"
done

# define DIR FUNCTION...: define return probes on these functions, and enable them.
define() {
	dir=$1
	shift
	for function in "$@"; do
		eval "echo \"r:$function \$at_$function\""
	done >"$dir/uprobe_events"
	echo 1 >"$dir/events/uprobes/enable"
}

undefine() {
	echo 0 >"$1/events/uprobes/enable"
	echo >"$1/uprobe_events"
}

# counts DIR FUNCTION: print the hits, and the misses if the directory shows them.
counts() {
	awk -v event="$2" '$2 == event { print $3, $4 }' "$1/uprobe_profile"
}

# both DIR FUNCTION: print the sum of hits and misses.
both() {
	counts "$1" "$2" | awk '{ print $1 + $2 }'
}

# Our return probes are on all functions, or on all but the target of the tail call. The kernel's are on
# some functions.
for order in "ours theirs" "theirs ours"; do
	for which in "hops stays forks waits" "hops lands stays forks waits" "lands" "hops lands"; do
		mine=$all
		[ "$which" != "hops lands" ] || mine="hops stays leaves forks waits"
		for who in $order; do
			# shellcheck disable=SC2086
			case $who in
			ours) define $ours $mine ;;
			theirs) define $theirs $which ;;
			esac
		done
		printf '\n\n\n\n' | "$prog" >"$out"
		is "$?" 0 "$order ($which): the program ends with status 0"
		is "$(sed '1d; /reading/d' "$out" | sort -u)" "$plain" \
			"$order ($which): the results are the same as without probes"
		is "$(both $ours hops)" 20 "$order ($which): our probe counts each call of hops as a hit or a miss"
		[ "$mine" != "$all" ] ||
			is "$(counts $ours lands)" "20 0" "$order ($which): our probe counts each return of lands"
		is "$(counts $ours stays)" "20 0" "$order ($which): our probe counts each return of stays"
		is "$(counts $ours forks) $(counts $ours waits)" "4 0 2 0" \
			"$order ($which): our probes count the returns of forks, in the child, too, and of waits"
		is "$(both $theirs "${which%% *}")" 20 "$order ($which): the kernel's return probe counts each call"
		undefine $ours
		undefine $theirs
	done
done

# Return probes on one process, not inherited by its child; unregister them during calls.
define $theirs hops lands stays forks waits
mkfifo "$tmp/in"
: >"$out"
"$prog" <"$tmp/in" >"$out" &
program=$!
exec 4>"$tmp/in"
wait_for .
n=0
for function in forks waits; do
	set_probe $n pid="$program" vaddr="$(symbol_in "$program" "$prog" $function)" returns=1
	n=$((n + 1))
done
run register 0-1
printf '\n' >&4
wait_for reading
run unregister 0-1
printf '\n' >&4
wait_for "$plain"
is $? 0 "if probes on the process are unregistered during a call, the results are the same"
is "$(hits 0)" 1 "the return before that is counted in the process, not in its child"

# Unload the module during a call.
run register 0-1
printf '\n' >&4
wait_until "the program waits" sh -c "[ \$(grep -c reading '$out') = 2 ]"
run unregister 0-1
rmmod uprobe_client
define $ours waits
undefine $ours
check "the module unloads during a call" rmmod uprobes_trace uprobes
printf '\n' >&4
exec 4>&-
wait "$program"
is "$?" 0 "the program ends with status 0 after the module has unloaded"
is "$(sed '1d; /reading/d' "$out" | sort | uniq -c | awk '{ print $1, $2 }')" "2 $plain" \
	"the program's results are the same after the module has unloaded"
undefine $theirs
load_module
define $ours $all
printf '\n\n\n\n' | "$prog" >"$out"
is "$(sed '1d; /reading/d' "$out" | sort -u)" "$plain" "our probes alone: the results are the same"
is "$(counts $ours lands) $(counts $ours hops)" "20 0 20 0" "our probes alone: no return is missed"
