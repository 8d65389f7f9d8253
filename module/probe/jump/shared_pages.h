/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared pages: memory that a program and the module share.  Pads count and record there.
 *
 * A forked child has none of it.  The mapping stays when the module is unloaded, as threads may be
 * in pads.
 */
#ifndef _UPROBES_SHARED_PAGES_H
#define _UPROBES_SHARED_PAGES_H

#include <linux/mm_types.h>

/* At the limit of its cgroup, fall back to traps instead of killing the program. */
#define SHARED_PAGES_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

struct file *shared_pages_create(unsigned long size);
int shared_pages_map(struct mm_struct *mm, struct file *file, unsigned long *base,
		     unsigned long size);
bool shared_pages_there(struct mm_struct *mm, const struct file *file, unsigned long base);
struct page *shared_pages_get(struct file *file, unsigned long at);
int shared_pages_make(struct mm_struct *mm, struct file **file, struct page **pages,
		      unsigned int nr, unsigned long *base);
void shared_pages_put(struct file *file, struct page **pages, unsigned int nr);

#endif /* _UPROBES_SHARED_PAGES_H */
