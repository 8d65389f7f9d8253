/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forks in flight, which copy an address space.
 */
#ifndef _UPROBES_FORK_MARK_H
#define _UPROBES_FORK_MARK_H

#include <linux/types.h>

struct probed_mm;

bool pmm_is_forking(struct probed_mm *pmm);

#endif /* _UPROBES_FORK_MARK_H */
