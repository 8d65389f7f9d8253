#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: calls that ours and the kernel's return probes follow return to where they came from: also when they go on by a jump, fork, call what does not return, or are under way when ours go
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"

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

# define DIR FUNCTION...: return probes on these.
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

# counts DIR FUNCTION: hits, and misses where they are told.
counts() {
	awk -v event="$2" '$2 == event { print $3, $4 }' "$1/uprobe_profile"
}

# both DIR FUNCTION: the two together.
both() {
	counts "$1" "$2" | awk '{ print $1 + $2 }'
}

# Ours on all functions, or not on what is jumped to; theirs on some.
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
		is "$?" 0 "$order ($which): the program ends well"
		is "$(sed '1d; /reading/d' "$out" | sort -u)" "$plain" "$order ($which): with the results that it has unprobed"
		is "$(both $ours hops)" 20 "$order ($which): each call of hops is counted by ours, or missed"
		[ "$mine" != "$all" ] ||
			is "$(counts $ours lands)" "20 0" "$order ($which): each return of lands is seen"
		is "$(counts $ours stays)" "20 0" "$order ($which): each return of stays is seen"
		is "$(counts $ours forks) $(counts $ours waits)" "4 0 2 0" \
			"$order ($which): those of forks, in the child as well, and of waits"
		is "$(both $theirs "${which%% *}")" 20 "$order ($which): theirs sees them, too"
		undefine $ours
		undefine $theirs
	done
done

# A probe on one process, of which the child knows nothing; it is taken away within calls.
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
is $? 0 "probes on the process alone, taken away within a call: the results are the same"
is "$(hits 0)" 1 "the return in the process has been seen"

# And the module within one.
run register 0-1
printf '\n' >&4
wait_until "it waits" sh -c "[ \$(grep -c reading '$out') = 2 ]"
run unregister 0-1
rmmod uprobe_client
define $ours waits
undefine $ours
check "the module is unloaded within a call" rmmod uprobes
printf '\n' >&4
exec 4>&-
wait "$program"
is "$?" 0 "the program ends well"
is "$(sed '1d; /reading/d' "$out" | sort | uniq -c | awk '{ print $1, $2 }')" "2 $plain" "with the results that it has unprobed"
undefine $theirs
load_module
define $ours $all
printf '\n\n\n\n' | "$prog" >"$out"
is "$(sed '1d; /reading/d' "$out" | sort -u)" "$plain" "ours alone: the same results"
is "$(counts $ours lands) $(counts $ours hops)" "20 0 20 0" "and nothing is missed"
