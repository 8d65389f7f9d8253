#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: who may not read a process cannot take its jumps away
# once: jump_foreign covers the differences between kernels
# needs: perl setpriv
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
ktap_plan 5

start_calls threads 1 1000000000
jump 1
count_begin "$progs/calls" "0x$(symbol "$progs/calls" work)"
go_on
there() { [ "$(jumps)" -ge 1 ]; }
wait_until "there is a jump" there
before=$(jumps)

# reads COMMAND...: let COMMAND run perl, which reads memory of the program by process_vm_readv(); print
# the error, or what is there.
reads() {
	"$@" perl -e 'my $byte = "x"; my $mine = pack("PQ", $byte, 1); my $theirs = pack("QQ", $ARGV[1], 1);
		print syscall(310, $ARGV[0] + 0, $mine, 1, $theirs, 1, 0) != 1 ? $! : $byte eq "\xe9" ? "a jump" : "text"' \
		"$pid" "$((vaddr))"
}
for i in 1 2 3; do
	is "$(reads setpriv --reuid=65534 --regid=65534 --clear-groups)" "Operation not permitted" "try $i: it is denied"
done
is "$(jumps)" "$before" "no jump has gone"
is "$(reads env)" text "root may read, and sees no jump"
count_end
kill "$pid"
