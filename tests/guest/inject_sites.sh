#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: inject has one call fail, once or from then on; debugfs lists all that can
# once: the code that fails is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"
. "$UPROBES_TOP/tests/guest/inject.inc"

site=event.tracer_event_create.kzalloc
tick=$(where tick)

# listed: how often $site has failed, as debugfs has it.
listed() {
	awk -v site=$site '$1 == site { print $2, $4 }' /sys/kernel/debug/uprobes-inject
}

ktap_plan 15
clear
is "$(listed)" "12 0" "the site is listed with its error"
for bad in '*' ':1' '*:0' '*:many' 'no.such.site:1'; do
	check_fails "\"$bad\" is refused" sh -c "echo '$bad' >$inject"
done
is "$(cat $inject)" none "nothing has failed"

echo $site:1 >$inject
check_fails "the first call fails" define "p:a $tick"
check "not the second" define "p:b $tick"
echo $site:2+ >$inject
check "counting begins again" define "p:c $tick"
check_fails "this time the second fails" define "p:d $tick"
check_fails "and the third" define "p:e $tick"
echo off >$inject
is "$(listed) $(cut -d ' ' -f 1 $dir/uprobe_events | xargs)" "12 3 p:uprobes/b p:uprobes/c" "which is what debugfs and the directory say"
clear
is "$(cut -d ' ' -f 1 /sys/kernel/debug/uprobes-inject | grep -vxFf <(cut -d ' ' -f 1 "$UPROBES_TOP/tests/guest/inject.sites") | sort -u)" "" \
	"inject.sites has the test in which each of them fails, or the reason why none does"
while read -r call test _; do
	[[ $call == *.*.* && ( $test = - || -e $UPROBES_TOP/tests/guest/$test.sh ) ]] || echo "$call $test"
done < <(grep -v '^#' "$UPROBES_TOP/tests/guest/inject.sites") >"$tmp/odd"
is "$(<"$tmp/odd")" "" "nothing else stands there"
