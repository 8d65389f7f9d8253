#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a function of the kernel's that is called without the module seeing it is told, and nothing more that needs it is probed until it is seen
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"

# As by a kernel whose linker has copied the function into its callers.
disarmed=$UPROBES_SAMPLES/../../tests/kmod/uprobe_disarm.ko
# kprobe_at NAME: where that kprobe of the module's is; nothing where the kernel does not show it.
kprobe_at() { awk -v name="$1" '$3 == name && $4 == "[uprobes]" { print "0x" $1 }' /proc/kallsyms; }
said() { dmesg | sed -n 's/.*uprobes: //p'; }
[ -n "$(kprobe_at map_kprobe)" ] || skip_all "this kernel does not show where kprobes are"
ktap_plan 16

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
is "$? $(said)" "143 a call of the kernel's function get_signal() went unseen" "it is sent a signal: the log says so"
dmesg -C
set_probe 4 path="$progs/steps" offset="$(file_offset "$progs/steps" nest)"
check_fails "nothing more is probed" run register 4
is "$(said)" "nothing can be probed: this kernel calls get_signal() where that is not seen" "the log says so"
rmmod uprobe_disarm
sh -c 'kill -TERM $$'
check "signals are seen again: it is" run register 4
