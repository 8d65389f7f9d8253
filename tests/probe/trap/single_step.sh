#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: tests that pass with slots also pass if every probed instruction is stepped
# full: it repeats tests that run anyway
# cpus: 2
# once: the CPU does the stepping, and SINGLE_STEP=1 covers the other kernels
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
# Tests that execute probed instructions: others never step. Tests that load the module again are
# left out, as they would lose the parameter. SINGLE_STEP=1 make test runs them all.
tests="api_count_exact api_return_depth api_again api_entry_handler mappings ptrace_registers
	stacks trace_strings"
ktap_plan 9

echo 1 >/sys/module/uprobes/parameters/single_step
for test in $tests; do
	check "$test passes" "$(find "$UPROBES_TOP/tests" -name "$test.sh")"
done
is "$(cat /sys/module/uprobes/parameters/single_step)" Y "the parameter single_step was set all the time"
