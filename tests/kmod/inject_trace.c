// SPDX-License-Identifier: GPL-2.0
/*
 * The sites of uprobes_trace.ko: the beginning of their section, and how the parameter "inject" of
 * uprobes.ko gets to know them.  Kbuild links this object first.
 */
#define INJECT_NOTHING
#include "inject.h"

struct inject_site inject_first[0] __section("uprobes_inject") __aligned(64);

/* Context: module init. */
void inject_init(void)
{
	inject_join(inject_first, inject_last);
}

/* Context: module exit, or module init that fails. */
void inject_exit(void)
{
	inject_leave();
}
