# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Loads the modules for guest tests; sourced.

# The tracer's module.
UPROBES_TRACE_KO=${UPROBES_KO%/*}/uprobes_trace.ko

# load_module: load uprobes.ko, with the parameters that the run sets for all tests, and
# uprobes_trace.ko.
load_module() {
	insmod "$UPROBES_KO" ${SINGLE_STEP:+single_step=1} ${JUMP:+jump=$JUMP jump_after=4} &&
		insmod "$UPROBES_TRACE_KO"
}
