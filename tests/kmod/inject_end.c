// SPDX-License-Identifier: GPL-2.0
/*
 * The end of the section of sites.  Kbuild links this object last.
 */
#define INJECT_NOTHING
#include "inject.h"

struct inject_site inject_last[0] __section("uprobes_inject") __aligned(64);
