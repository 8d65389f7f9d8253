#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the parameter inject makes one call fail, once or from then on, and debugfs lists all calls that can
# once: the code that fails is the same on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/inject.inc"

site=event.tracer_event_create.kzalloc
tick=$(where tick)

# listed: the error of $site and how often it has failed, from debugfs.
listed() {
	awk -v site=$site '$1 == site { print $2, $4 }' /sys/kernel/debug/uprobes-inject
}

ktap_plan 15
clear
is "$(listed)" "12 0" "debugfs lists the site with its error"
for bad in '*' ':1' '*:0' '*:many' 'no.such.site:1'; do
	check_fails "\"$bad\" is refused" sh -c "echo '$bad' >$inject"
done
is "$(cat $inject)" none "no call has failed yet"

echo $site:1 >$inject
check_fails "SITE:1 makes the first call fail" define "p:a $tick"
check "SITE:1 does not make the second call fail" define "p:b $tick"
echo $site:2+ >$inject
check "writing SITE:2+ restarts counting, so the first call succeeds" define "p:c $tick"
check_fails "SITE:2+ makes the second call fail" define "p:d $tick"
check_fails "SITE:2+ makes the third call fail" define "p:e $tick"
echo off >$inject
is "$(listed) $(cut -d ' ' -f 1 $dir/uprobe_events | xargs)" "12 3 p:uprobes/b p:uprobes/c" \
	"debugfs counts the three failures, and uprobe_events has the other events"
clear
is "$(cut -d ' ' -f 1 /sys/kernel/debug/uprobes-inject | grep -vxFf <(cut -d ' ' -f 1 "$UPROBES_TOP/tests/shared/inject.sites") | sort -u)" "" \
	"inject.sites has a test, or the reason why there is none, for each site"
tests=$(cd "$UPROBES_TOP/tests" && printf '%s ' {probe/*,trace,uprobe}/*.sh | sed 's,[^ ]*/,,g; s,\.sh,,g')
while read -r call test _; do
	[[ $call == *.*.* && ( $test = - || " $tests " == *" $test "* ) ]] || echo "$call $test"
done < <(grep -v '^#' "$UPROBES_TOP/tests/shared/inject.sites") >"$tmp/odd"
is "$(<"$tmp/odd")" "" "inject.sites has only sites, with tests that exist"
