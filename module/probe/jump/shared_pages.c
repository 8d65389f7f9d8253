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
 * Then seal the file: the program must not truncate it under its own pads, nor map it again by
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

/**
 * shared_pages_put() - drop shared pages of shared_pages_make(), which may have failed
 * @file: their file, or NULL
 * @pages: the pages; NULL behind those that there are
 * @nr: number of them
 *
 * A mapping stays.
 */
void shared_pages_put(struct file *file, struct page **pages, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && pages[i]; i++)
		put_page(pages[i]);
	if (file)
		fput(file);
}

/**
 * shared_pages_make() - create shared pages, bring all of them into memory, and map them
 * @mm: the address space, in use
 * @file: set to their file
 * @pages: filled in; NULL before
 * @nr: number of pages
 * @base: set to the address
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0 or a negative errno; shared_pages_put() is to be called in any case.
 */
int shared_pages_make(struct mm_struct *mm, struct file **file, struct page **pages,
		      unsigned int nr, unsigned long *base)
{
	struct page *page;
	unsigned int i;

	*file = shared_pages_create(nr * PAGE_SIZE);
	if (IS_ERR(*file)) {
		int ret = PTR_ERR(*file);

		*file = NULL;
		return ret;
	}
	for (i = 0; i < nr; i++) {
		page = shared_pages_get(*file, i * PAGE_SIZE);
		if (IS_ERR(page))
			return PTR_ERR(page);
		pages[i] = page;
	}
	/* Last, as the mapping stays. */
	*base = 0;
	return shared_pages_map(mm, *file, base, nr * PAGE_SIZE);
}
