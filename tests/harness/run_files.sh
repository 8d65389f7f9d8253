#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a guest of qemu/run sees the host's files, gets copies of the files of -f, and changes no file of the host
# full: it boots guests, and tests the harness only
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
ktap_plan 12

tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
echo "of the host" >"$tmp/a file"
mkdir "$tmp/dir"
echo deep >"$tmp/dir/inner"
cd "$tmp" || exit
cat >script <<'END'
echo "cwd $(pwd)"
echo "id $(id -u)"
echo "copied $(cat "/tmp/a file")"
echo "placed $(cat /opt/elsewhere/x) $(cat /var/tmp/dir/inner)"
echo changed >"/tmp/a file"; echo "now $(cat "/tmp/a file")"
echo gone >"$UPROBES_TOP/changed-by-a-guest"; echo "wrote $(cat "$UPROBES_TOP/changed-by-a-guest")"
for dir in /proc /sys /sys/kernel/debug /sys/kernel/tracing /dev /dev/pts /dev/shm /tmp; do
	grep -q " $dir " /proc/mounts || echo "not mounted: $dir"
done
echo "kernel $UPROBES_KERNEL $([ -d "/lib/modules/$(uname -r)/kernel" ] && echo modules)"
[ -w /tmp ] && echo "tmp writable"
END
output=$("$UPROBES_TOP/qemu/run" --no-module -f "a file" -f "a file:/opt/elsewhere/x" \
	-f dir:/var/tmp/ sh ./script </dev/null 2>&1)
is $? 0 "the command runs"
like "$output" "^cwd $tmp\$" "the command runs in the caller's directory, though that is below /tmp"
like "$output" '^id 0$' "the command runs as root"
like "$output" '^copied of the host$' "-f FILE copies the file to /tmp"
like "$output" '^placed of the host deep$' "-f FILE:DEST copies files and directories to DEST"
like "$output" '^now changed$' "the guest can change the copies"
like "$output" '^wrote gone$' "the guest can create files in directories of the host"
is "$(printf '%s\n' "$output" | grep '^not mounted')" "" "all expected file systems are mounted"
like "$output" '^kernel .* modules$' "the guest sees the modules of its kernel"
like "$output" '^tmp writable$' "/tmp is writable"
is "$(cat "$tmp/a file")" "of the host" "the file on the host is unchanged"
check_fails "the file that the guest created is not on the host" ls "$UPROBES_TOP/changed-by-a-guest"
