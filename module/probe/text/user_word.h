/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Change single words of another address space.
 */
#ifndef _UPROBES_USER_WORD_H
#define _UPROBES_USER_WORD_H

#include <linux/mm_types.h>
#include <linux/types.h>

int word_restore(struct mm_struct *mm, unsigned long addr, unsigned long from,
		 unsigned long to, unsigned int size);
int u16_add(struct mm_struct *mm, unsigned long addr, int change);

#endif /* _UPROBES_USER_WORD_H */
