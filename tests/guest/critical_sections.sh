#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: restartable sequences with a probe on every instruction are aborted when they must be, and seccomp notices nothing
# cpus: 2
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 38

prog=$progs/critical
adds=3000
[ -z "${FULL:-}" ] || adds=20000
is "$("$prog" 4 1000)" "sum 4000" "unprobed: the counters add up"
is "$("$prog" 4 1000 storm)" "sum 4000" "unprobed: in a storm of aborts, too"
n=0
for offset in $(instructions "$prog" critical_add critical_start critical_end | head -11); do
	set_probe $n path="$prog" offset="$offset"
	n=$((n + 1))
done
last=$((n - 1))
check "all instructions are found" test $n -ge 10
# As they are stepped over where no slot can hold them, too.
step=/sys/module/uprobes/parameters/single_step
was=$(cat $step)
at_exit 'echo $was >$step'
for how in 0 1 2; do
	flags=$((how % 2))
	what="flags=$flags"
	[ $how != 2 ] || what="single-stepped"
	for i in $(seq 0 $last); do
		set_probe "$i" flags=$flags
	done
	[ $how != 2 ] || echo 1 >$step
	check "$what: they are probed" run register 0-$last
	is "$("$prog" 4 $adds)" "sum $((4 * adds))" "$what: the counters add up"
	is "$("$prog" 4 $((adds / 2)) storm)" "sum $((2 * adds))" "$what: in a storm of aborts, too"
	run unregister 0-$last
done
echo "$was" >$step

offset=0x$(symbol "$progs/strict" strict_work)
plain=$("$progs/strict")
i=20
for mode in "" filter; do
	for how in "0 0" "0 1" "1 0" "1 1"; do
		flags=${how% *} returns=${how#* }
		what="seccomp${mode:+ with a $mode}, flags=$flags, returns=$returns"
		set_probe $i path="$progs/strict" offset="$offset" flags="$flags" returns="$returns"
		run register $i
		is "$("$progs/strict" $mode)" "$plain" "$what: the same"
		run unregister $i
		i=$((i + 1))
		# What a process needs for its first probe is made without system calls of its own, too.
		rm -f "$tmp/in"
		mkfifo "$tmp/in"
		: >"$out"
		"$progs/strict" $mode wait <"$tmp/in" >"$out" &
		exec 3>"$tmp/in"
		wait_for strict
		read -r pid vaddr <"$out"
		set_probe $i pid="$pid" vaddr="$vaddr" flags="$flags" returns="$returns"
		check "$what: a probe comes when the mode has been entered" run register $i
		end_calls
		is "$? $(tail -n 1 "$out")" "0 $plain" "$what: as unprobed"
		run unregister $i
		i=$((i + 1))
	done
done
is "$(awk '$1 >= 20 { print $3 }' $client_dir/state | sort | uniq -c | sed 's/^ *//')" "16 1000" "seccomp: all is counted"
is "$(awk '$4' $client_dir/state)" "" "nothing was missed"
