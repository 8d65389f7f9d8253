#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: core dumps of a program with a probe on every instruction show the same registers as without probes
# full: core_stat has a part of it
# once: others cover how each kernel forks, ends and dumps: fork_met, api_started, core_stat
# needs: eu-readelf
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 20

pattern=$(cat /proc/sys/kernel/core_pattern)
at_exit "echo '$pattern' >/proc/sys/kernel/core_pattern"
echo "$tmp/core" >/proc/sys/kernel/core_pattern
ulimit -c unlimited
cd "$tmp" || exit

# registers HOW: print the exit status, and the registers in the core dump. Ignore bit 16 of the flags
# (RF): int3 stores it set if a fault or an interrupt came right before, which depends on the load.
registers() {
	rm -f core
	env -i setarch -R "$progs/dies" "$1" 2>/dev/null
	echo "status $?"
	eu-readelf -n core | awk '/PRSTATUS/ { on = 1; next } /PRPSINFO/ { on = 0 }
		on && /rip|rsp|rax|rdi|rsi|rcx|eflags|orig_rax|sig|info/ && !/pid:|utime|sigpend|cutime/' |
		sed 's/rdi: *[0-9]* //; s/\([re]flags: *0x0*\)1\(.... \)/\10\2/'
}

for how in segv ill fpe trap abort waits; do
	registers $how >"plain.$how"
done
like "$(cat plain.segv)" "rip" "without probes, there is a core dump"
is "$(grep -c rip plain.waits)" 2 "without probes, the core dump of two threads has both"
n=0
# Leave out the program's own breakpoint, which cannot be probed.
own=0x$(objdump -d "$progs/dies" | awk '/\tint3/ { sub(/:/, "", $1); print $1; exit }')
for offset in $(instructions "$progs/dies" dies_in main waits); do
	[ "$offset" != "$own" ] || continue
	set_probe $n path="$progs/dies" offset=$((offset - 0x400000))
	n=$((n + 1))
done
last=$((n - 1))
for returns in 0 1 2; do
	# Probe all instructions in task context, then in the trap, then the return of the function.
	case $returns in
	0 | 1) probes=0-$last; for i in $(seq 0 $last); do set_probe "$i" flags=$returns; done ;;
	2) set_probe 900 path="$progs/dies" offset=$((0x$(symbol "$progs/dies" dies_in) - 0x400000)) returns=1; probes=900 ;;
	esac
	run register $probes || echo "# cannot register"
	for how in segv ill fpe trap abort waits; do
		is "$(registers $how)" "$(cat plain.$how)" "$how, $probes: the core dump shows the same registers"
	done
	run unregister $probes
done
