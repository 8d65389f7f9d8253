#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: files that scripts for tracefs write first exist, and accept only the value that they have
# once: the result depends on the module only, not on the kernel
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/trace.inc"

ktap_plan 11
like "$(cat $dir/buffer_total_size_kb)" '^[0-9]+ \(expanded: [0-9]+\)$' \
	"buffer_total_size_kb shows the size before and after the first event is enabled"
for file in "current_tracer nop function" "trace_clock local mono"; do
	read -r name only other <<<"$file"
	like "$(cat $dir/$name)" "^\\[?$only\\]?$" "$name is $only"
	check "$name accepts $only" sh -c "echo $only >$dir/$name"
	check_fails "$name refuses $other" sh -c "echo $other >$dir/$name"
	check_fails "$name refuses a value that is too long" sh -c "echo nothing-of-this-length >$dir/$name"
done

clear
define "p:e $(where tick)"
like "$(cat $dir/events/uprobes/filter)" '^### global filter ###$' "the filter file of a group says what it is for"
define "p /no/such/file:1" 2>/dev/null
check "error_log can be written to" sh -c "echo 0 >>$dir/error_log"
clear
