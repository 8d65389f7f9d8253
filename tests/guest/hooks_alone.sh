#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: when the kernel calls a hooked function past the hook, the log says so, and what needs the hook is refused until it is seen again
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"

# As by a kernel whose linker has copied the function into its callers.
disarmed=$UPROBES_SAMPLES/../../tests/kmod/uprobe_disarm.ko
# kprobe_at NAME: where that kprobe of the module's is; nothing where the kernel does not show it.
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
check "a probe in a file" run register 0
for n in 1 2; do
	# shellcheck disable=SC2086
	set_probe $n $in_file
	set_probe $((n + 2)) pid=$pid vaddr=$nest
done

dmesg -C
check "mappings are no longer seen" insmod "$disarmed" kprobe="$(kprobe_at map_kprobe)"
check_fails "no more is probed in files" run register 1
is "$(said)" "no file can be probed: this kernel maps memory without a call of perf_event_mmap() that is seen" \
	"the log says so"
check "in processes it is" run register 3
check "what was there has its hits" calls 0
rmmod uprobe_disarm
check "they are seen again: more is probed" run register 1
check "and has its hits" calls 1
end_steps

# The hits of probe 0 are handled in task context: of such a task it is known that it has been
# in user mode since the module has looked.
steps
check "signals are no longer seen" insmod "$disarmed" kprobe="$(kprobe_at signal_kprobe)"
dmesg -C
check "a program that is probed" calls 0
is "$(said)" "" "the log says nothing"
check "nothing is known, and so a probe is taken" run register 2
kill -TERM $pid
end_steps
is $? 143 "it is sent a signal"
check "the log says so" wait_until "a worker tells" told
dmesg -C
set_probe 4 path="$progs/steps" offset="$(file_offset "$progs/steps" nest)"
check_fails "nothing more is probed" run register 4
is "$(said)" "nothing can be probed: this kernel calls get_signal() where that is not seen" "the log says so"
rmmod uprobe_disarm
sh -c 'kill -TERM $$'
check "signals are seen again: it is" run register 4
run unregister 4

# Nor is it the kernel's fault that kprobes are switched off.
steps
check "a program that is probed" calls 0
dmesg -C
echo 0 >/sys/kernel/debug/kprobes/enabled
kill -TERM $pid
end_steps
switched_off() { said | grep -q '^kprobes are switched off while something is probed: write 1 to '; }
check "kprobes are switched off, it is sent a signal: the log says that" wait_until "a worker tells" switched_off
echo 1 >/sys/kernel/debug/kprobes/enabled
check "switched on, more is probed" run register 4
run unregister 4

# Of a program that was there before its probe nothing is kept until the kernel looks at its signals:
# it dies in a slot.
mkfifo "$tmp/go"
"$progs/dies" later <"$tmp/go" &
dying=$!
exec 4>"$tmp/go"
load=$(objdump -d --disassemble=dies_in "$progs/dies" | awk '/mov +\(%/ { sub(/:/, "", $1); print "0x" $1; exit }')
runs() { grep -q "$progs/dies" /proc/$dying/maps; }
wait_until "it runs" runs
set_probe 5 pid=$dying vaddr="$load" flags=1
check "a program that waits is probed" run register 5
dmesg -C
echo >&4
wait $dying
is "$? $(hits 5)" "139 1" "it dies in a slot"
check "more is probed" run register 4
is "$(said)" "" "and the log says nothing"
