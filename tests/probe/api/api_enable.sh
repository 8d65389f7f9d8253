#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a probe can be registered disabled, and only counts hits and has a breakpoint while it is enabled
# once: the module's own code decides this, and it is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
ktap_plan 58

steps
plain=$(step call 10)
number=0
for scope in "pid=$pid vaddr=$work" "path=$progs/steps offset=0x$(nm "$progs/steps" | awk '$3 == "work" { print $1 }')"; do
	for kind in "flags=2" "flags=3" "flags=2 returns=1" "flags=3 returns=1"; do
		set_probe $number "$scope $kind"
		what="${scope%%=*}, $kind"
		check "$what: a disabled probe is registered" run register $number
		check "$what: while it is disabled, the text equals the file" "$progs/textcmp" "$pid"
		step call 10 >/dev/null
		is "$(hits $number)" 0 "$what: while it is disabled, it is not called"
		run enable $number
		is "$(step call 10)" "$plain" "$what: while it is enabled, the program's result is right"
		run disable $number
		check "$what: after disabling, the text equals the file again" "$progs/textcmp" "$pid"
		step call 10 >/dev/null
		is "$(hits $number)" 10 "$what: it was called only while enabled"
		run enable $number
		step threads 100 >/dev/null
		run unregister $number
		step call 10 >/dev/null
		is "$(hits $number)" 410 "$what: enabled again, it counts until it is unregistered"
		number=$((number + 1))
	done
done
check_fails "a probe that is not registered cannot be enabled" run enable 0
check_fails "a probe that is not registered cannot be disabled" run disable 0
end_steps
