#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: while the module's allocations and copies fail at random, programs run and are probed unharmed; nothing is left
# timeout: 400
#
# STORM=600 in the environment makes it last 600 seconds instead of 40.
. "$UPROBES_TOP/tests/lib.sh"

[ -e /proc/self/fail-nth ] || [ "$UPROBES_KERNEL" = debug ] ||
	skip_all "this kernel has no fault injection"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/inject_kernel.inc"
control=/sys/kernel/debug/uprobes
target=$tmp/torture-storm
RANDOM=${SEED:-1}
ktap_plan 9

cp "$progs/torture" "$target"
mapfile -t places < <("$target" layout)
functions=0
for place in "${places[@]}"; do
	[ "${place%% *}" = -1 ] || functions=$((functions + 1))
done
# The programs use all the CPU time that they get.
nice -n 19 "$progs/torture_fleet" run "$target" "$tmp/shared" "${SEED:-1}" 2 2 >"$tmp/fleet" 2>&1 &
fleet=$!
wait_until "the programs have started" test -s "$tmp/shared"

# storm PERCENT: fail that share of the requests with the module's code on the stack; 0 ends the storm.
storm() {
	local fault

	for fault in $faults; do
		echo "$1" >/sys/kernel/debug/$fault/probability
	done
}
# Read the symbols once, as this takes long on a debug kernel. The kernel's own symbols are in order.
# "first" and "last" bound the code of both modules. Per-CPU variables are among the symbols, too, with
# offsets for addresses. "warn_first" and "warn_last" bound functions that must not fail: the kernel
# warns if a kprobe cannot be armed or disarmed. inject_rare makes these fail.
read -r first last warn_first warn_last < <(awk '
	within { warn_last = $1; within = 0 }
	$3 ~ /^((un)?register_k(ret)?probes?|(en|dis)able_kprobe)$/ && NF == 3 {
		if (!warn_first)
			warn_first = $1
		within = 1
	}
	$4 ~ /^\[uprobes(_trace)?\]$/ && $2 ~ /[tT]/ && /^ffff/ {
		if (!first || $1 < first)
			first = $1
		if ($1 > last)
			last = $1
	}
	END { print first, last, warn_first, warn_last }' /proc/kallsyms)
for fault in $faults; do
	echo 0 >/sys/kernel/debug/$fault/interval
	echo "0x$warn_first" >/sys/kernel/debug/$fault/reject-start
	echo "0x$warn_last" >/sys/kernel/debug/$fault/reject-end
	echo -1 >/sys/kernel/debug/$fault/times
	echo N >/sys/kernel/debug/$fault/task-filter
	echo "0x$first" >/sys/kernel/debug/$fault/require-start
	echo "0x$last" >/sys/kernel/debug/$fault/require-end
done
at_exit "storm 0"

# attempt COMMAND...: COMMAND must succeed, or return an error that an injected failure may cause. If
# "of_process" is set, it may also return an error for a process that has ended, or that has mapped
# something else at the address.
attempt() {
	attempts=$((attempts + 1))
	"$@" 2>"$tmp/error" && return
	refusals=$((refusals + 1))
	case $of_process:$(<"$tmp/error") in
	*"Cannot allocate memory"* | *"Bad address"*) ;;
	1:*"No such process"* | 1:*"Invalid argument"* | 1:*"Input/output error"*) ;;
	*)
		odd=$((odd + 1))
		diag "$*: $(<"$tmp/error")"
		;;
	esac
	return 1
}
# register FIRST [LAST]
register() {
	local n of_process=

	for ((n = $1; n <= ${2:-$1}; n++)); do
		[ -z "${of[n]}" ] || of_process=1
	done
	attempt run register "$1${2:+-$2}"
}
set_event() {
	echo "$1" >>$control/uprobe_events
}
set_enable() {
	echo "$1" >$control/events/uprobes/storm/enable
}

# describe N RETURNS: describe a probe at a random place, on the file or on one of the processes.
describe() {
	local place=${places[RANDOM % ${#places[@]}]} where function offset vaddr k ref

	[ "$2" = 0 ] || place=${places[RANDOM % functions]}
	read -r function offset vaddr k ref <<<"$place"
	where="path=$target offset=$offset pid=0 vaddr=0 flags=$((RANDOM % 2))" of[$1]=
	[ ${#processes[@]} = 0 ] || [ $((RANDOM % 3)) != 0 ] || {
		of[$1]=${processes[RANDOM % ${#processes[@]}]}
		where="path= offset=0 pid=${of[$1]} vaddr=$((vaddr)) flags=4"
	}
	[ "$2" = 0 ] && [ $((RANDOM % 2)) = 0 ] || ref=0
	# shellcheck disable=SC2086
	set_probe "$1" $where returns="$2" ref="$ref"
}

attempts=0 refusals=0 odd=0 hits=0 left=0 late=0 of_process='' of=()
end=$((SECONDS + ${STORM:-40}))
percents=(1 3 10 40)
# Some kinds of faults are rare: go on until each has occurred, but not forever.
while [ $SECONDS -lt $end ] || { [ -n "$(never_fired)" ] && ((late++ < 20)); }; do
	mapfile -t processes < <(pgrep -f "^$target work")
	for n in {0..19}; do describe $n $((n % 10 / 5)); done
	read -r _ offset _ <<<"${places[RANDOM % functions]}"
	percent=${percents[RANDOM % ${#percents[@]}]}
	diag "$percent percent will fail; until now $refusals of $attempts attempts were refused"
	storm $percent
	for n in {0..9}; do register $n; done
	register 10 14
	register 15 19
	attempt set_event "p:storm $target:$offset x=%di:u64" && attempt set_enable 1
	sleep 1
	for n in 0 5 10 15; do run disable $n; run enable $n; done 2>/dev/null
	run unregister 0-19 || left=$((left + 1))
	# The write may fail before the module reads it.
	[ ! -e $control/events/uprobes/storm ] || set_enable 0 2>/dev/null
	storm 0
	[ ! -e $control/events/uprobes/storm ] || set_enable 0 || left=$((left + 1))
	while read -r n is _; do
		[ "$is" = 0 ] || left=$((left + 1))
	done <$client_dir/state
	read -r hit _ <$client_dir/total
	hits=$((hits + hit))
	: >$control/uprobe_events || left=$((left + 1))
done
storm 0
is $odd 0 "$refusals of $attempts attempts were refused, each with an error that fits"
is "$(never_fired)" "" "each kind of fault occurred: $(fired)"
isnt "$refusals" 0 "some attempts were refused"
isnt "$refusals" "$attempts" "some attempts succeeded"
isnt "$hits" 0 "the probes were hit: $hits"
is "$left $(cat $control/uprobe_events)" "0 " "all probes and events could be removed each time"

# Without faults everything works again.
steps
set_probe 30 path="$progs/steps" offset="$(file_offset "$progs/steps" work)"
run register 30
is "$(step call 3) $(hits 30)" "call 912 3" "after the storm a probe works as before"
run unregister 30
end_steps

check "the client and the module unload" sh -c "rmmod uprobe_client && rmmod uprobes_trace uprobes"
sleep 1
kill $fleet
wait $fleet
is $? 0 "the programs found nothing wrong: $(tail -n 1 "$tmp/fleet")"
head -n -1 "$tmp/fleet" | sed 's/^/# /'
load_module
insmod "$UPROBES_SAMPLES/../../tests/kmod/uprobe_client.ko"
