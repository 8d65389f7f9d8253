// SPDX-License-Identifier: GPL-2.0
/*
 * What the files of the control directory have in common.
 */
#include "files.h"

bool tracer_ready;
