#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a hit that a signal handler leaves by siglongjmp() is not taken for a later one
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 3

prog=$progs/left
set_probe 0 path="$prog" offset="0x$(symbol "$prog" probed_left)" action=await other=60000
run register 0
start_program . "$prog"
echo >&3
check "a handler of the probe is called" until_is 1 calls 0
kill -USR1 "$(head -n 1 "$out")"
end_calls
is "$(sed 1d "$out")" "left
returned: 6
2 handled" "the program leaves the interrupted call, and the next one returns"
is "$(hits 0)" 2 "both calls are counted"
run unregister 0
