#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: probes that unregister themselves, a thousand at once, while one is being registered in the same process
# once: what decides here is the module, in the same way on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/client.inc"

[ -e /dev/fuse ] || modprobe fuse 2>/dev/null
[ -e /dev/fuse ] || skip_all "this kernel has no FUSE"
ktap_plan 6

# As many as burst() has instructions, which is more than there are workers for.
burst=1100

mkdir "$tmp/dir"
mkfifo "$tmp/in"
"$progs/fused" "$tmp/dir" <"$tmp/in" >"$tmp/said" &
exec 3>"$tmp/in"
wait_until "the program is ready" grep -q ready "$tmp/said"
read -r _ pid text from <"$tmp/said"
# It must not be in reach of the same area.
far=$((text - from))
check "the page is more than 2 GB from the program" test $far -gt 2147483648 -o $far -lt -2147483648

for n in $(seq $burst); do
	echo "$n pid=$pid vaddr=$((from + n - 1)) flags=1 action=unregister other=$n" >$client_dir/set
done
run register 1-$burst

# The registration has the process's lock, and cannot read the text.
set_probe 0 pid="$pid" vaddr="$text"
run register 0 &
registering=$!
wait_until "the text is being read" grep -q waits "$tmp/said"
echo burst >&3
wait_until "the program has hit them" grep -q done "$tmp/said"

# Of each that unregisters itself a worker waits for another one, as far as there are so many: as many
# are in calls of the one workqueue as of the other, and as many as the last time. Looking at all that
# there are takes seconds on a kernel that watches itself, which minds who waits for a minute.
waiting=
all_wait() {
	before=$waiting
	waiting=$(cat /proc/[0-9]*/comm 2>/dev/null | awk '
		/^kworker\/.*\+uprobes_later$/ { later++ }
		/^kworker\/.*\+uprobes$/ { ours++ }
		END { print later == ours ? later + 0 : 0 }')
	test "$waiting" -gt 200 -a "$waiting" = "$before"
}
wait_until "they are being unregistered" all_wait
diag "$waiting unregistrations wait"
echo serve >&3
in_time ended $registering
is $? 0 "the registration comes to its end"
wait $registering
is $? 0 "and is a success"
# The client has been busy with it until now.
is "$(all_hits)" "$burst 0" "each of the others has been hit once"
echo call >&3
wait_until "the program has called it" grep -qx 42 "$tmp/said"
is "$(hits 0)" 1 "the probe is hit"
check "all end" timeout $((30 * ${TEST_TIMEOUT_SCALE:-1})) sh -c "echo unregister 0-$burst >$client_dir/run"
