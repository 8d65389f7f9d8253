#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: an invalid probe is refused with the right errno, the kernel log says why, and nothing else changes
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 29

# refused ERRNO LOG-PATTERN PARAMETER...: a probe with these parameters is refused with ERRNO and a log line.
refused() {
	errno=$1 pattern=$2
	shift 2
	dmesg -C
	is "$("$progs/insmod_errno" "$UPROBES_SAMPLES/uretprobe_sum.ko" "$@")" "$errno" "$errno for $*"
	like "$(dmesg)" "uprobes: .*$pattern" "the log says: $pattern"
}

refused ENOENT "/no/such/file cannot be probed: it cannot be opened" path=/no/such/file offset=0
refused EINVAL "/tmp cannot be probed: not a regular file" path=/tmp offset=0
refused EINVAL "/dev/null cannot be probed: not a regular file" path=/dev/null offset=0
size=$(stat -L -c %s "$progs/calls")
refused EINVAL "outside the file \($size bytes\)" path="$progs/calls" offset="$size"
odd=$progs/oddtext
refused EPERM "breakpoint instruction" path="$odd" offset="0x$(symbol "$odd" breakpoint)"
refused EPERM "enclave" path="$odd" offset="0x$(symbol "$odd" enclave)"
refused EILSEQ "no instruction is there \(06 06" path="$odd" offset="0x$(symbol "$odd" undefined)"

mkfifo "$tmp/hold"
: >"$out"
"$odd" <"$tmp/hold" >"$out" &
exec 3>"$tmp/hold"
wait_for .
read -r pid _ <"$out"
refused EPERM "enclave" pid="$pid" vaddr="$(symbol_in "$pid" "$odd" enclave)"
# If a module's init returns EEXIST, newer kernels return EBUSY to insmod: they reserve EEXIST for
# modules that are already loaded. The log shows which refusal it was.
case $(uname -r) in
[1-6].*) eexist=EEXIST ;;
*) eexist=EBUSY ;;
esac
refused $eexist "a breakpoint that is not ours" pid="$pid" vaddr="$(symbol_in "$pid" "$odd" breakpoint)"
refused EINVAL "0x10 cannot be probed: nothing is mapped there" pid="$pid" vaddr=0x10
refused EINVAL "what is mapped there is not executable" pid="$pid" \
	vaddr="0x$(awk '/\[stack\]/ { sub(/-.*/, ""); print }' "/proc/$pid/maps")"
refused ESRCH "there is no process 4194000" pid=4194000 vaddr=0x400000
refused EINVAL "process 2 has no address space" pid=2 vaddr=0x400000
check "the text of the process equals its file" "$progs/textcmp" "$pid"
check "the process still runs" kill -0 "$pid"
exec 3>&-
wait $!
is $? 0 "the process ends with status 0"
