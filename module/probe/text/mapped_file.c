// SPDX-License-Identifier: GPL-2.0
/*
 * Find the file that is mapped at an address.
 */
#include <linux/fs.h>
#include <linux/mmap_lock.h>

#include "mapped_file.h"

/**
 * mapped_file() - find the file that is mapped at an address
 * @mm: the address space, in use
 * @addr: the address
 * @pos: set to the position in the file
 *
 * Context: may sleep; takes the mmap lock.
 * Return: the file, with a reference, or NULL.
 */
struct file *mapped_file(struct mm_struct *mm, unsigned long addr, loff_t *pos)
{
	struct vm_area_struct *vma;
	struct file *file = NULL;

	mmap_read_lock(mm);
	vma = find_vma(mm, addr);
	if (vma && vma->vm_start <= addr && vma->vm_file) {
		file = get_file(vma->vm_file);
		*pos = vma_position(vma, addr);
	}
	mmap_read_unlock(mm);
	return file;
}
