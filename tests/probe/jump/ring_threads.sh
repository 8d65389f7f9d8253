#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: records from rings are those of the right thread, in the order of time, while threads move between processors
# full: ring_records has fewer threads
# once: ring_ends covers the differences between kernels
# cpus: 2
# timeout: 900
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"
. "$UPROBES_TOP/tests/shared/probes.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"
. "$UPROBES_TOP/tests/shared/ring.inc"

# With FULL, a million.
calls=${FULL:+125000}
calls=${calls:-4000}
ktap_plan 4

jump 1
clear
session_begin "the place needs no trap" "buffer_size_kb 65536"
# drain leaves the file nonblocking for all who share it, so the reader comes back for more.
(while drain <&5 >>"$tmp/records" || sleep 0.05; do :; done) &
reader=$!
ids=$(tell run 8 "$calls")
for _ in $(tries 300); do
	[ "$(wc -l <"$tmp/records")" -ge $((8 * calls)) ] && break
	sleep 0.1
done
kill $reader
wait $reader 2>/dev/null
is "$(sound <"$tmp/records")" $((8 * calls)) "all records have the right threads, in the right order"
is "$(awk '{ sub(/.*a=/, ""); n[$1 + 0]++ } END { for (id in n) print id, n[id] }' "$tmp/records" | sort -n)" \
	"$(for id in $ids; do echo "$id $calls"; done | sort -n)" "each thread has all its records"
is "$(awk 'match($0, /\[[0-9]+\]/) { print substr($0, RSTART, RLENGTH) }' "$tmp/records" | sort -u | xargs)" "[000] [001]" \
	"they are of both processors"
exec 5<&-
ringed_end
