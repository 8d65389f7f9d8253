#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: what works with slots works with every instruction stepped over, too
# full: tests that have run before, once more
# cpus: 2
# once: stepping is the processor's, and SINGLE_STEP=1 is there for the others
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
# Those that execute what is probed: the others do not come to a step. Those that load the
# module anew are left out, as they would lose the parameter. All: SINGLE_STEP=1 make test.
tests="api_count_exact api_return_depth api_again api_entry_handler mappings ptrace_registers
	stacks trace_strings"
ktap_plan 9

echo 1 >/sys/module/uprobes/parameters/single_step
for test in $tests; do
	check "$test" "$UPROBES_TOP/tests/guest/$test.sh"
done
is "$(cat /sys/module/uprobes/parameters/single_step)" Y "they were stepped over"
