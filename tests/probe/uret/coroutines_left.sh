#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: if abandoned calls have reached the limit, later calls are counted as soon as the stacks are unmapped
# full: 262,144 abandoned calls take a minute
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 2

prog=$progs/coroutines_many
plain=$("$prog" 5 60000 leave)
set_probe 0 path="$prog" offset=0x"$(symbol "$prog" probed_pause)" returns=1 flags=1
set_probe 1 path="$prog" offset=0x"$(symbol "$prog" probed_deep)" returns=1 flags=1
run register 0-1
is "$("$prog" 5 60000 leave)" "$plain" "300,015 calls are abandoned, and the result is the same as without probes"
# CALLS_MAX is 262,144, including one for the pause. If the return instance of the pause is free in
# time, one more call can be followed.
check "calls above the limit are missed, and ten later calls are counted" \
	grep -qxE '11 37873|12 37872' <<END
$(all_hits)
END
diag "$(all_hits)"
run unregister 0-1
