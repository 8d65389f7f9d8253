#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: a thousand probes unregister themselves at once while another probe of the process is being registered
# full: it unregisters a thousand probes
# once: the module's own code decides this, and it is the same on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"

[ -e /dev/fuse ] || modprobe fuse 2>/dev/null
[ -e /dev/fuse ] || skip_all "this kernel has no FUSE"
ktap_plan 6

# The number of instructions of burst(), which exceeds the number of workers.
burst=1100

mkdir "$tmp/dir"
mkfifo "$tmp/in"
"$progs/fused" "$tmp/dir" <"$tmp/in" >"$tmp/said" &
exec 3>"$tmp/in"
wait_until "the program is ready" grep -q ready "$tmp/said"
read -r _ pid text from <"$tmp/said"
# One SSOL area must not serve both.
far=$((text - from))
check "the page is more than 2 GB from the program" test $far -gt 2147483648 -o $far -lt -2147483648

for n in $(seq $burst); do
	echo "$n pid=$pid vaddr=$((from + n - 1)) flags=1 action=unregister other=$n" >$client_dir/set
done
run register 1-$burst

# The registration holds the process's lock while it waits for the text, which FUSE does not deliver yet.
set_probe 0 pid="$pid" vaddr="$text"
run register 0 &
registering=$!
wait_until "the registration reads the text" grep -q waits "$tmp/said"
echo burst >&3
wait_until "the program has hit the probes" grep -q done "$tmp/said"

# For each probe that unregisters itself, a worker waits for a second worker, as long as there are
# workers. All wait if both workqueues have the same number of busy workers, and this number is
# stable. The debug kernel takes seconds to list all processes, and complains about tasks that wait
# for a minute: list them with few programs.
waiting=
all_wait() {
	before=$waiting
	waiting=$(cat /proc/[0-9]*/comm 2>/dev/null | awk '
		/^kworker\/.*\+uprobes_deferred$/ { later++ }
		/^kworker\/.*\+uprobes$/ { ours++ }
		END { print later == ours ? later + 0 : 0 }')
	test "$waiting" -gt 200 -a "$waiting" = "$before"
}
wait_until "the probes are being unregistered" all_wait
diag "$waiting unregistrations wait"
echo serve >&3
in_time ended $registering
is $? 0 "the registration ends"
wait $registering
is $? 0 "the registration succeeds"
# Only now: the registration kept the client busy.
is "$(all_hits)" "$burst 0" "each of the other probes has been hit once"
echo call >&3
wait_until "the program has called the function" grep -qx 42 "$tmp/said"
is "$(hits 0)" 1 "the newly registered probe is hit"
check "all are unregistered" \
	timeout $((30 * ${TEST_TIMEOUT_SCALE:-1})) sh -c "echo unregister 0-$burst >$client_dir/run"
