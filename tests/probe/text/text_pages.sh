#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: text in a huge page can be probed, and a probe in text that the kernel merges affects its own process only
# timeout: 240
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/client.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
ktap_plan 18

prog=$progs/pages
vaddr=0x$(symbol "$prog" work)
sum=5150

# begin N [merge]: start the N-th process.
begin() {
	mkfifo "$tmp/in.$1"
	# Drop the output of an earlier process.
	: >"$tmp/out.$1"
	# Close the input of the other process here, or that one will not see its end.
	"$prog" $2 <"$tmp/in.$1" >"$tmp/out.$1" 3>&- &
	eval "job$1=$!"
	eval "exec $((3 + $1))>\"$tmp/in.$1\""
	wait_until "process $1 has started" test -s "$tmp/out.$1"
	eval "pid$1=\$(cat '$tmp/out.$1')"
}

# work N: have the N-th process make 100 calls, and print their sum.
work() {
	lines=$(wc -l <"$tmp/out.$1")
	eval "echo 100 >&$((3 + $1))"
	said() { [ "$(wc -l <"$tmp/out.$1")" -gt "$lines" ]; }
	wait_until "process $1 has called" said "$1"
	tail -n 1 "$tmp/out.$1"
}

# end N: end the N-th process, and return its exit status.
end() {
	eval "exec $((3 + $1))>&-"
	rm -f "$tmp/in.$1"
	eval "wait \$job$1"
}

# pmd PID: print how many KiB of the program's text are in huge pages.
pmd() {
	awk -v name="$prog" '/^[0-9a-f]+-/ { text = $6 == name && $2 ~ /x/ }
		text && /PmdMapped/ { n += $2 } END { print n + 0 }' "/proc/$1/smaps"
}

huge="a huge page"
mkdir "$tmp/huge"
if [ -e /sys/kernel/mm/transparent_hugepage/shmem_enabled ]; then
	mount -t tmpfs -o huge=always none "$tmp/huge" || exit
	at_exit 'umount "$tmp/huge"'
	cp "$prog" "$tmp/huge/pages"
	prog=$tmp/huge/pages
	begin 0
	check "$huge: it holds the program's text" [ "$(pmd "$pid0")" -ge 2048 ]
	set_probe 0 pid="$pid0" vaddr="$vaddr"
	check "$huge: a process is probed" run register 0
	is "$(work 0) $(hits 0)" "$sum 100" "$huge: each call is a hit"
	run unregister 0
	check "$huge: no breakpoint is left after the probe on the process" "$progs/textcmp" "$pid0"
	set_probe 2 path="$prog" offset="$(uprobe offset "$prog" work | sed 's/.*://')" returns=1
	check "$huge: the file is probed" run register 2
	is "$(work 0) $(hits 2)" "$sum 100" "$huge: each return is a hit"
	begin 1
	is "$(work 1) $(hits 2)" "$sum 200" "$huge: each return in another process is a hit, too"
	run unregister 2
	check "$huge: no breakpoint is left after the probe on the file" "$progs/textcmp" "$pid0"
	end 0
	end 1
	prog=$progs/pages
else
	for _ in 1 2 3 4 5 6 7 8; do
		skip "$huge" "this kernel has no huge pages for files"
	done
fi

ksm=/sys/kernel/mm/ksm
begin 0 merge
begin 1 merge
set_probe 3 pid="$pid0" vaddr="$vaddr"
set_probe 4 pid="$pid1" vaddr="$vaddr"
check "two processes get a probe each at the same place" run register 3-4
is "$(work 0) $(work 1) $(hits 3) $(hits 4)" "$sum $sum 100 100" "before merging: each call is a hit"
at_exit 'echo 2 >$ksm/run'
echo 20 >$ksm/sleep_millisecs
echo 1000 >$ksm/pages_to_scan
echo 1 >$ksm/run
merged() { [ "$(cat $ksm/pages_sharing)" -ge 1 ]; }
check "the kernel merges their text" wait_until "the kernel merges text" merged
is "$(work 0) $(work 1) $(hits 3) $(hits 4)" "$sum $sum 200 200" "merged: each call is a hit"
check "the probe on one process is unregistered" run unregister 3
is "$(work 0) $(hits 3)" "$sum 200" "that process goes on without a hit"
check "no breakpoint is left in that process" "$progs/textcmp" "$pid0"
is "$(work 1) $(hits 4)" "$sum 300" "the other process is still probed"
run unregister 4
check "no breakpoint is left in the other process after its probe is unregistered" "$progs/textcmp" "$pid1"
end 0 && end 1
is $? 0 "both processes end with status 0"
