/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pads give way to memory that the program maps at a fixed address.
 */
#ifndef _UPROBES_EVICTION_H
#define _UPROBES_EVICTION_H

#include <linux/types.h>

struct probed_mm;

bool eviction_wanted(const struct probed_mm *pmm, unsigned long addr, unsigned long len,
		     unsigned long flags);
bool eviction_do(struct probed_mm *pmm);
int eviction_threads_leave(struct probed_mm *pmm, bool loading);

#endif /* _UPROBES_EVICTION_H */
