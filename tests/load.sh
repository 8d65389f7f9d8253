# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# How guest tests load the module; sourced.

# load_module: with the parameters that all tests are to run with.
load_module() {
	insmod "$UPROBES_KO" ${SINGLE_STEP:+single_step=1}
}
