#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a signal does not wait for a probed instruction that in turn waits for the signal's handler
# cpus: 2 with FULL=1
# once: the result depends on the module only, not on the kernel
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"

prog=$progs/userfault
[ -e /proc/sys/vm/unprivileged_userfaultfd ] || skip_all "this kernel has no userfaultfd()"
ktap_plan 6

# faults N HOW: the signal comes before the probed instruction, which then waits in a fault.
faults() {
	set_probe $1 path="$prog" offset="0x$(symbol "$prog" load_at)" action=await other=60000
	run register $1
	: >"$out"
	"$prog" >"$out" &
	wait_for .
	until_is 1 calls $1
	kill -URG "$(head -n 1 "$out")"
	wait $!
	is "$? $(sed 1,2d "$out")" "0 42 1 in time" "$2, a signal before the fault: handled in time"
	is "$(hits $1)" 1 "$2, a signal before the fault: one hit"
	run unregister $1
}

# interrupted N HOW: the signal comes while the probed instruction waits in a fault.
interrupted() {
	set_probe $1 path="$prog" offset="0x$(symbol "$prog" load_at)"
	run register $1
	: >"$out"
	"$prog" >"$out" &
	wait_for .
	wait_for waits
	kill -URG "$(head -n 1 "$out")"
	wait $!
	is "$? $(sed 1,2d "$out") $(hits $1)" "0 42 1 in time 1" \
		"$2, a signal during the fault: handled in time, and one hit"
	run unregister $1
}
faults 0 "in a slot"
interrupted 1 "in a slot"
at_exit 'echo 0 >/sys/module/uprobes/parameters/single_step'
echo 1 >/sys/module/uprobes/parameters/single_step
# A site keeps its slot, so this needs a new file.
cp "$prog" "$tmp/userfault"
prog=$tmp/userfault
faults 2 "single-stepped"
interrupted 3 "single-stepped"
