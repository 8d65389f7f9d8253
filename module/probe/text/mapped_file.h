/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the file that is mapped at an address, and the position in the file.
 */
#ifndef _UPROBES_MAPPED_FILE_H
#define _UPROBES_MAPPED_FILE_H

#include <linux/mm.h>

/* Get the position in the file that an address of a mapping stands for. */
static inline loff_t vma_position(const struct vm_area_struct *vma, unsigned long addr)
{
	return ((loff_t)vma->vm_pgoff << PAGE_SHIFT) + (addr - vma->vm_start);
}

struct file *mapped_file(struct mm_struct *mm, unsigned long addr, loff_t *pos);

#endif /* _UPROBES_MAPPED_FILE_H */
