#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: what works with slots works with every instruction stepped over, too
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
# Those that load the module anew are left out, as they would lose the parameter.
tests="api_bad_input api_count_exact api_file_all_processes api_fork_unprobed api_return_depth
	api_again api_enable api_entry_handler mappings ptrace_registers stacks
	trace_like_tracefs trace_strings"
ktap_plan 14

echo 1 >/sys/module/uprobes/parameters/single_step
for test in $tests; do
	check "$test" "$UPROBES_TOP/tests/guest/$test.sh"
done
is "$(cat /sys/module/uprobes/parameters/single_step)" Y "they were stepped over"
