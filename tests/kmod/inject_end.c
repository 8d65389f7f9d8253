// SPDX-License-Identifier: GPL-2.0
/*
 * The last of the module's objects: where the section of sites ends.
 */
#define INJECT_NOTHING
#include "inject.h"

struct inject_site inject_last[0] __section("uprobes_inject") __aligned(64);
