/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The breakpoints that a forked child has from its parent, and the consumers that it gets.
 */
#ifndef _UPROBES_FORK_H
#define _UPROBES_FORK_H

#include "core/probed_mm.h"

struct copy_mark;
struct utask;

int pmm_fork(struct probed_mm *child, struct probed_mm *parent, const struct copy_mark *copied);
void pmm_fork_consumers(struct probed_mm *child, struct probed_mm *parent);
bool pmm_fork_restore(struct probed_mm *parent, struct mm_struct *mm,
		      const struct copy_mark *copied);
void pmm_copy_begins(struct probed_mm *parent, unsigned long start);
void pmm_fork_begins(struct probed_mm *parent, struct utask *utask, struct copy_mark *copied);
void pmm_fork_ends(struct probed_mm *parent);

#endif /* _UPROBES_FORK_H */
