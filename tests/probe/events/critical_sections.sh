#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: restartable sequences with a probe on every instruction abort correctly, and seccomp does not see probes
# cpus: 2 with FULL=1
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 38

prog=$progs/critical
adds=1000
[ -z "${FULL:-}" ] || adds=20000
is "$("$prog" 4 1000)" "sum 4000" "without probes, the counters add up"
is "$("$prog" 4 1000 storm)" "sum 4000" "without probes, the counters add up in a storm of aborts"
n=0
for offset in $(instructions "$prog" critical_add critical_start critical_end | head -11); do
	set_probe $n path="$prog" offset="$offset"
	n=$((n + 1))
done
last=$((n - 1))
check "the test finds all instructions" test $n -ge 10
# Also single-step each instruction, as the module does if no slot can hold it.
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
	check "$what: all instructions are probed" run register 0-$last
	is "$("$prog" 4 $adds)" "sum $((4 * adds))" "$what: the counters add up"
	is "$("$prog" 4 $((adds / 2)) storm)" "sum $((2 * adds))" "$what: the counters add up in a storm of aborts"
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
		is "$("$progs/strict" $mode)" "$plain" "$what: the result is the same as without probes"
		run unregister $i
		i=$((i + 1))
		# The module prepares the first probe of a process without a system call of that process.
		start_program strict "$progs/strict" $mode wait
		read -r pid vaddr <"$out"
		set_probe $i pid="$pid" vaddr="$vaddr" flags="$flags" returns="$returns"
		check "$what: a probe can be registered after the process has entered this mode" run register $i
		end_calls
		is "$? $(tail -n 1 "$out")" "0 $plain" "$what: a later probe does not change the result"
		run unregister $i
		i=$((i + 1))
	done
done
is "$(awk '$1 >= 20 { print $3 }' $client_dir/state | sort | uniq -c | sed 's/^ *//')" "16 1000" \
	"seccomp: all hits are counted"
is "$(awk '$4' $client_dir/state)" "" "no miss is counted"
