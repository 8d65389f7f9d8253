#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: probes registered disabled, enabled, disabled and enabled again
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"
ktap_plan 58

steps
plain=$(step call 10)
number=0
for scope in "pid=$pid vaddr=$work" "path=$progs/steps offset=0x$(nm "$progs/steps" | awk '$3 == "work" { print $1 }')"; do
	for kind in "flags=2" "flags=3" "flags=2 returns=1" "flags=3 returns=1"; do
		set_probe $number "$scope $kind"
		what="${scope%%=*}, $kind"
		check "$what: registered disabled" run register $number
		check "$what: the text is the file's" "$progs/textcmp" "$pid"
		step call 10 >/dev/null
		is "$(hits $number)" 0 "$what: not called"
		run enable $number
		is "$(step call 10)" "$plain" "$what: the program's result is right"
		run disable $number
		check "$what: the text is the file's again" "$progs/textcmp" "$pid"
		step call 10 >/dev/null
		is "$(hits $number)" 10 "$what: called while enabled only"
		run enable $number
		step threads 100 >/dev/null
		run unregister $number
		step call 10 >/dev/null
		is "$(hits $number)" 410 "$what: enabled again, then unregistered"
		number=$((number + 1))
	done
done
check_fails "a probe that is not registered cannot be enabled" run enable 0
check_fails "nor disabled" run disable 0
end_steps
