#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: only root may use the directory, and under kernel lockdown nobody may
# once: the module decides about access, in the same way on all kernels
# last: its guest cannot be used any more afterwards
# needs: setpriv
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

# opened [COMMAND...]: print the files that COMMAND can open, for reading or writing.
opened() {
	find $dir -type f | "$@" bash -c 'while read -r file; do
		{ true <"$file"; } 2>/dev/null && echo "r $file"
		{ true >>"$file"; } 2>/dev/null && echo "w $file"
	done'
}

ktap_plan 5
define "p:e $(where tick) n=%di"
enable
all=$(opened env | wc -l)
check "root can open all files" test "$all" -gt 30
chmod 755 /sys/kernel/debug
is "$(opened setpriv --reuid 1000 --regid 1000 --clear-groups)" "" "another user can open no file"
chmod 700 /sys/kernel/debug

mountpoint -q /sys/kernel/security || mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
lockdown=/sys/kernel/security/lockdown
if [ ! -w $lockdown ]; then
	for what in "integrity" "confidentiality" "the program"; do
		skip "$what" "this kernel has no lockdown"
	done
	exit
fi
echo integrity >$lockdown
is "$(opened env | grep ^w)" "" "under lockdown for integrity no file can be written"
echo confidentiality >$lockdown
is "$(opened env)" "" "under lockdown for confidentiality no file can be read or written"
check "under lockdown the probed program runs on" "$prog" ticks 2 100
