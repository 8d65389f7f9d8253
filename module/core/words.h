/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words: memory that a program and the module share.  Pads count and record there.
 *
 * A forked child has none of it.  The mapping stays when the module is unloaded, as threads may be
 * in pads.
 */
#ifndef _UPROBES_WORDS_H
#define _UPROBES_WORDS_H

#include <linux/mm_types.h>

/* At the limit of its cgroup, a program rather traps than is killed. */
#define WORDS_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

struct file *words_create(unsigned long size);
int words_map(struct mm_struct *mm, struct file *words, unsigned long *base, unsigned long size);
bool words_there(struct mm_struct *mm, const struct file *words, unsigned long base);
struct page *words_page(struct file *words, unsigned long at);

#endif /* _UPROBES_WORDS_H */
