#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the files that scripts for tracefs set first are there, and take what they are anyway
# once: what decides here is the module, in the same way on all kernels
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/trace.inc"

ktap_plan 11
like "$(cat $dir/buffer_total_size_kb)" '^[0-9]+ \(expanded: [0-9]+\)$' \
	"the buffer takes its size when the first event is enabled"
for file in "current_tracer nop function" "trace_clock local mono"; do
	read -r name only other <<<"$file"
	like "$(cat $dir/$name)" "^\\[?$only\\]?$" "$name is $only"
	check "$only is taken" sh -c "echo $only >$dir/$name"
	check_fails "$other is refused" sh -c "echo $other >$dir/$name"
	check_fails "so is what is too long" sh -c "echo nothing-of-this-length >$dir/$name"
done

clear
define "p:e $(where tick)"
like "$(cat $dir/events/uprobes/filter)" '^### global filter ###$' "a group's filter says what it is for"
define "p /no/such/file:1" 2>/dev/null
check "error_log can be written to" sh -c "echo 0 >>$dir/error_log"
clear
