#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: where as many calls have been left as are kept, later ones are seen as soon as stacks have been unmapped
# full: 262,144 calls that are left take a minute
# once: what decides here is the module, in the same way on all kernels
# timeout: 180
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
. "$UPROBES_TOP/tests/guest/probes.inc"
ktap_plan 2

prog=$progs/coroutines_many
plain=$("$prog" 5 60000 leave)
set_probe 0 path="$prog" offset=0x"$(symbol "$prog" probed_pause)" returns=1 flags=1
set_probe 1 path="$prog" offset=0x"$(symbol "$prog" probed_deep)" returns=1 flags=1
run register 0-1
is "$("$prog" 5 60000 leave)" "$plain" "300,015 calls are left: as unprobed"
# CALLS_MAX is 262,144, of which one is for the pause. Whether the next call can be followed depends
# on whether the instance of the pause has been freed.
check "hits and misses: what is above the limit is missed, ten later ones return" \
	grep -qxE '11 37873|12 37872' <<END
$(all_hits)
END
diag "$(all_hits)"
run unregister 0-1
