#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: rate_limit bounds the records of an event in a second, and the other hits are missed
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

tick=$(where tick)
ktap_plan 11
clear
define "p:e $tick n=%di"
define "p:free $tick m=%di"
limit=$dir/events/uprobes/e/rate_limit
is "$(cat $limit)" 0 "there is no limit at first"
check_fails "a limit that is no number is refused" sh -c "echo some >$limit"
echo 10 >$limit
is "$(cat $limit)" 10 "a limit can be set"
enable

# However long this takes, each second has ten records at most.
start=$(cut -d. -f1 /proc/uptime)
"$prog" ticks 4 2000
end=$(cut -d. -f1 /proc/uptime)
seconds=$((end - start + 2))
drain $dir/trace_pipe >"$tmp/out"
seen=$(grep -c ': e:' "$tmp/out")
check "an event has at most ten records a second: $seen in $seconds seconds" \
	test "$seen" -ge 10 -a "$seen" -le $((10 * seconds))
is "$(grep -c ': free:' "$tmp/out")" 8000 "another event has no limit"
lost=$(sed -nE 's/^CPU:[0-9]+ \[LOST ([0-9]+) EVENTS\]$/\1/p' "$tmp/out" | awk '{ n += $1 } END { print n + 0 }')
check "trace_pipe marks where they are" test "$lost" -gt 0
is "$(awk '$2 == "e" { print $3 }' $dir/uprobe_profile)" 8000 "all calls are hits"
is "$(awk '$2 == "e" { print $4 }' $dir/uprobe_profile)" $((8000 - seen)) "hits above the limit are missed"
like "$(grep -A 1 rate_limit $dir/README)" "hits a second, miss others" "README says so"

# Hits that a filter drops do not use up the limit.  Wait for the next second, as the last one may
# have used up its limit.
echo 'n == 1999' >$dir/events/uprobes/e/filter
: >$dir/trace
sleep 1
"$prog" ticks 1 2000
is "$(lines | grep -c ': e:')" 1 "hits that a filter drops do not use up the limit"
echo 0 >$limit
echo 0 >$dir/events/uprobes/e/filter
: >$dir/trace
"$prog" ticks 1 500
is "$(lines | grep -c ': e:')" 500 "writing 0 removes the limit"
clear
