# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Loads the module for guest tests; sourced.

# load_module: load the module with the parameters that the run sets for all tests.
load_module() {
	insmod "$UPROBES_KO" ${SINGLE_STEP:+single_step=1} ${JUMP:+jump=$JUMP jump_after=4}
}
