#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: README's example of a published event, as it stands, counts in tracefs
# once: what decides here is the module, in the same way on all kernels
# needs: perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

[ -e $tracefs/synthetic_events ] || skip_all "this kernel has no synthetic events"
ktap_plan 4
clear
# The commands of the block; perf and bpftrace, of which the last one ends by Ctrl-C, are trace_tools'.
awk '/^```/ { if (block ~ /malloc\/synthetic/) printf "%s", block; block = ""; next }
	sub(/^# /, "") { block = block $0 "\n" }' README.md | grep -v '^perf \|^bpftrace ' >"$tmp/commands"
is "$(grep -c . "$tmp/commands")" 4 "README has the example"
check "its commands work" sh -ec "cd $dir; . $tmp/commands"
perl -e 'my $x = "y" x 100000'
hist=$(cat $tracefs/events/synthetic/malloc/hist)
like "$hist" 'hitcount: +[1-9]' "what malloc() is asked for is counted in tracefs"
check "the largest, too" grep -Eq 'size: +1000[0-9]{2}' <<<"$hist"
echo '!hist:keys=size' >$tracefs/events/synthetic/malloc/trigger
clear
