// SPDX-License-Identifier: GPL-2.0
/*
 * Shared pages: memory that a program and the module share.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/shmem_fs.h>

#include "shared_pages.h"
#include "base/compat.h"
#include "core/ssol_area.h"

/**
 * shared_pages_create() - create a file of shared pages
 * @size: its size, in bytes; a multiple of the page size
 *
 * Context: may sleep.
 * Return: the file, to be put by fput(); or an ERR_PTR.
 */
struct file *shared_pages_create(unsigned long size)
{
	return compat_shmem_file("[uprobes]", size);
}

/**
 * shared_pages_map() - map shared pages
 * @mm: the address space, in use
 * @file: the file
 * @base: where; if it is 0, it is set to an address that the kernel chooses
 * @size: size of the file
 *
 * Then seal the file: the program must not truncate it under its own pads, nor map it anew by
 * /proc/PID/map_files.
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0 or a negative errno.
 */
int shared_pages_map(struct mm_struct *mm, struct file *file, unsigned long *base,
		     unsigned long size)
{
	long ret = ssol_map_shared(mm, file, base, size);

	if (!ret && IS_ENABLED(CONFIG_SHMEM))
		SHMEM_I(file_inode(file))->seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW |
						    F_SEAL_FUTURE_WRITE;
	return ret;
}

/* Check whether shared pages are still mapped at an address.  Context: the mmap lock held. */
bool shared_pages_there(struct mm_struct *mm, const struct file *file, unsigned long base)
{
	const struct vm_area_struct *vma = find_vma(mm, base);

	return vma && vma->vm_file == file && vma->vm_start == base;
}

/**
 * shared_pages_get() - bring a shared page into memory
 * @file: the file
 * @at: position of the page in the file, in bytes
 *
 * The page is charged as the caller's memory is.
 *
 * Context: may sleep.
 * Return: the page, with a reference; or an ERR_PTR.
 */
struct page *shared_pages_get(struct file *file, unsigned long at)
{
	return shmem_read_mapping_page_gfp(file->f_mapping, at / PAGE_SIZE, SHARED_PAGES_GFP);
}
