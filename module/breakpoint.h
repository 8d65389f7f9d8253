/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text of another address space: reading it, and exchanging single bytes in
 * private copies of its pages.  Neither files nor other processes change.
 */
#ifndef _UPROBES_BREAKPOINT_H
#define _UPROBES_BREAKPOINT_H

#include <linux/mm_types.h>
#include <linux/types.h>

bool text_probeable(const struct vm_area_struct *vma);
int text_read(struct mm_struct *mm, unsigned long addr, u8 *buf, size_t len);
int breakpoint_insert(struct mm_struct *mm, unsigned long addr, u8 orig,
		      const struct inode *inode, loff_t offset);
int breakpoint_remove(struct mm_struct *mm, unsigned long addr, const u8 *text, size_t len);
int word_restore(struct mm_struct *mm, unsigned long addr, unsigned long from,
		 unsigned long to, unsigned int size);

#endif /* _UPROBES_BREAKPOINT_H */
