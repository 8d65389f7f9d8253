// SPDX-License-Identifier: GPL-2.0
/*
 * Common parts of the files of the control directory.
 */
#include "files.h"

struct tracer *tracer_ready;
