#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the devices serve as the files of debugfs do, also under a lockdown for integrity, and only who may trace
# once: the module decides about access, in the same way on all kernels
# last: its guest cannot be used any more afterwards
# needs: setpriv unshare
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
. "$UPROBES_TOP/tests/shared/trace.inc"

dir=/sys/kernel/debug/uprobes
dev=/dev/uprobes
ktap_plan 25

# hits DIRECTORY: print the records and the counts of three hits.
hits() {
	exec 5<>"$1/session" 6<>"$1/aggregate" || return
	echo "p:ev $(where tick) n=%di:s32" >&5
	echo "p:k0 $(where tick)" >&6
	"$prog" ticks 1 3
	drain <&5 | fields
	cat <&6
	exec 5<&- 6<&-
}

is "$(stat -c '%n %A %U' $dev/* | xargs)" \
	"$dev/aggregate crw------- root $dev/error_log crw------- root $dev/session crw------- root" \
	"there are three devices, for root"
is "$(hits $dev | sed 's/(.*)//')" "ev:  n=0
ev:  n=1
ev:  n=2
k0 3 0" "hits are recorded and counted"
exec 5<>$dev/session
check_fails "a wrong line is refused" sh -c 'echo "p:ev /no/file:0x1" >&5' 2>/dev/null
like "$(tail -n 3 $dev/error_log)" 'Command: p:ev /no/file:0x1' "error_log tells why"
check_fails "the module cannot be unloaded while a device is open" rmmod uprobes_trace
exec 5<&-

# may COMMAND...: true if COMMAND can open both devices.
may() {
	"$@" sh -c "true <>$dev/session && true <>$dev/aggregate" 2>/dev/null
}
as="setpriv --reuid 1000 --regid 1000 --clear-groups"
check_fails "another user cannot open a device" may $as
chmod 666 $dev/session $dev/aggregate
check_fails "he cannot where its mode lets him" may $as
check "he can with CAP_PERFMON" may $as --inh-caps +perfmon --ambient-caps +perfmon
check "he can with CAP_SYS_ADMIN" may $as --inh-caps +sys_admin --ambient-caps +sys_admin
check_fails "he cannot with these in a user namespace of his own" may $as unshare -Ur
check_fails "root without them cannot" may setpriv --bounding-set -perfmon,-sys_admin --inh-caps -perfmon,-sys_admin
chmod 600 $dev/session $dev/aggregate

# helped: the helper traces, counts and times.
helped() {
	traced="$prog ticks 1 3"
	is "$(uprobe -c "$traced >/dev/null" "p:$prog:tick n=%di:s32" 2>"$tmp/err" | fields | xargs)" \
		"tick: n=0 tick: n=1 tick: n=2" "$1: uprobe traces: $(head -n 1 "$tmp/err")"
	is "$(uprobe count --json -c "$traced >/dev/null" "$prog:tick" 2>"$tmp/err")" \
		'{"function":"tick","hits":3,"missed":0}' "$1: uprobe counts: $(head -n 1 "$tmp/err")"
	like "$(uprobe lat --json -c "$traced >/dev/null" "$prog:tick" 2>"$tmp/err")" \
		'"hits":3,"missed":0,"total_ns"' "$1: uprobe times calls: $(head -n 1 "$tmp/err")"
}

umount /sys/kernel/debug
helped "without debugfs"
mount -t debugfs none /sys/kernel/debug

mountpoint -q /sys/kernel/security || mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
lockdown=/sys/kernel/security/lockdown
if [ ! -w $lockdown ]; then
	for _ in {1..11}; do
		skip "lockdown" "this kernel has no lockdown"
	done
	exit
fi
echo integrity >$lockdown
check_fails "under lockdown for integrity, debugfs cannot be used" sh -c "echo 1 >$dir/tracing_on" 2>/dev/null
helped "under lockdown for integrity"
start "p:$prog:tick"
like "$(uprobe status)" '^tick .*traced  .*uprobe-[0-9]+, 0 hits' "uprobe status lists sessions"
stop
uprobe --control $dir -c true "p:$prog:tick" 2>"$tmp/err"
is "$?" 5 "who names the directory is refused"
like "$(cat "$tmp/err")" 'locked down and lets nobody use debugfs' "the error says why"

echo confidentiality >$lockdown
check_fails "under lockdown for confidentiality, no device can be opened" may env
uprobe -c true "p:$prog:tick" 2>"$tmp/err"
is "$?" 5 "uprobe is refused"
like "$(cat "$tmp/err")" 'locked down for confidentiality' "the error says why"
uprobe count -c true "p:$prog:tick" 2>"$tmp/err"
like "$?: $(cat "$tmp/err")" '^5: .*locked down for confidentiality' "so does that of count"
