#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: if the kernel calls a hooked function without the hook, the log says so, and probes that need it are refused
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"

# Disarming the kprobe acts like a kernel whose linker has inlined the function into its callers.
disarmed=$UPROBES_SAMPLES/../../tests/kmod/uprobe_disarm.ko
# kprobe_at NAME: print the address of this kprobe of the module, or nothing if the kernel hides it.
kprobe_at() { awk -v name="$1" '$3 == name && $4 == "[uprobes]" { print "0x" $1 }' /proc/kallsyms; }
said() { dmesg | sed -n 's/.*uprobes: //p'; }
told() { said | grep -qx "a call of the kernel's function get_signal() went unseen"; }
[ -n "$(kprobe_at map_kprobe)" ] || skip_all "this kernel does not show where kprobes are"
ktap_plan 24

in_file="path=$progs/steps offset=$(file_offset "$progs/steps" work)"
calls() { n=$(hits "$1"); [ "$(step call 3)" = "call 912" ] && [ $(($(hits "$1") - n)) = 3 ]; }
steps
# shellcheck disable=SC2086
set_probe 0 $in_file
check "a probe on a file is registered" run register 0
for n in 1 2; do
	# shellcheck disable=SC2086
	set_probe $n $in_file
	set_probe $((n + 2)) pid=$pid vaddr=$nest
done

dmesg -C
check "the hook of mappings is disarmed" insmod "$disarmed" kprobe="$(kprobe_at map_kprobe)"
check_fails "no further probe on a file is registered" run register 1
is "$(said)" "no file can be probed: this kernel maps memory without a call of perf_event_mmap() that is seen" \
	"the log says that mappings are not seen"
check "a probe on a process is registered" run register 3
check "the earlier probe on the file has its hits" calls 0
rmmod uprobe_disarm
check "with the hook of mappings, a probe on a file is registered" run register 1
check "this probe has its hits" calls 1
end_steps

# The hits of probe 0 are handled in task context. So the module knows that the task was in user mode after
# the module has looked.
steps
check "the hook of signals is disarmed" insmod "$disarmed" kprobe="$(kprobe_at signal_kprobe)"
dmesg -C
check "the probe on the file has its hits without the hook of signals" calls 0
is "$(said)" "" "without a signal, the log says nothing"
check "the module has not noticed yet, and a probe is registered" run register 2
kill -TERM $pid
end_steps
is $? 143 "a signal ends the program"
check "the log says that a signal was not seen" wait_until "a worker logs it" told
dmesg -C
set_probe 4 path="$progs/steps" offset="$(file_offset "$progs/steps" nest)"
check_fails "no further probe is registered" run register 4
is "$(said)" "nothing can be probed: this kernel calls get_signal() where that is not seen" \
	"the log says why the probe is refused"
rmmod uprobe_disarm
sh -c 'kill -TERM $$'
check "when a signal was seen again, the probe is registered" run register 4
run unregister 4

# If kprobes are switched off, the log must not blame the kernel.
steps
check "a new program is probed" calls 0
dmesg -C
echo 0 >/sys/kernel/debug/kprobes/enabled
kill -TERM $pid
end_steps
switched_off() { said | grep -q '^kprobes are switched off while something is probed: write 1 to '; }
check "after a signal without kprobes, the log says that they are switched off" \
	wait_until "a worker logs it" switched_off
echo 1 >/sys/kernel/debug/kprobes/enabled
check "with kprobes, a probe is registered" run register 4
run unregister 4

# The module has no state of a program that ran before its probe, until the kernel handles its signals.
# This program dies in a slot before that.
mkfifo "$tmp/go"
"$progs/dies" later <"$tmp/go" &
dying=$!
exec 4>"$tmp/go"
load=$(objdump -d --disassemble=dies_in "$progs/dies" | awk '/mov +\(%/ { sub(/:/, "", $1); print "0x" $1; exit }')
runs() { grep -q "$progs/dies" /proc/$dying/maps; }
wait_until "the program runs" runs
set_probe 5 pid=$dying vaddr="$load" flags=1
check "a program that waits is probed" run register 5
dmesg -C
echo >&4
wait $dying
is "$? $(hits 5)" "139 1" "the program dies in a slot"
check "after that, another probe is registered" run register 4
is "$(said)" "" "the log does not report a missed signal"
