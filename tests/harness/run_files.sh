#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a guest of qemu/run sees the host's files, gets those of -f, and changes none
# full: it boots guests for the harness alone
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
like "$output" "^cwd $tmp\$" "in the caller's directory, though that is below /tmp"
like "$output" '^id 0$' "as root"
like "$output" '^copied of the host$' "-f FILE is in /tmp"
like "$output" '^placed of the host deep$' "-f FILE:DEST is there, directories too"
like "$output" '^now changed$' "copies can be changed"
like "$output" '^wrote gone$' "other files, too"
is "$(printf '%s\n' "$output" | grep '^not mounted')" "" "what should be mounted is"
like "$output" '^kernel .* modules$' "the kernel's modules are there"
like "$output" '^tmp writable$' "/tmp is writable"
is "$(cat "$tmp/a file")" "of the host" "the host's file is as it was"
check_fails "what the guest created is not on the host" ls "$UPROBES_TOP/changed-by-a-guest"
