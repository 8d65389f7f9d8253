// SPDX-License-Identifier: GPL-2.0
/*
 * Words: memory that a program and the module share.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/shmem_fs.h>

#include "words.h"
#include "ssol_area.h"
#include "base/compat.h"

/**
 * words_create() - create a file with words
 * @size: how many, in bytes; a multiple of the page size
 *
 * Context: may sleep.
 * Return: the file, to be put by fput(); or an ERR_PTR.
 */
struct file *words_create(unsigned long size)
{
	return compat_shmem_file("[uprobes]", size);
}

/**
 * words_map() - map words
 * @mm: the address space, in use
 * @words: the file
 * @base: where; if it is 0, it is set to an address that the kernel chooses
 * @size: size of the file
 *
 * Then seal the file: the program must not truncate it under its own pads, nor map it anew by
 * /proc/PID/map_files.
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0 or a negative errno.
 */
int words_map(struct mm_struct *mm, struct file *words, unsigned long *base, unsigned long size)
{
	long ret = ssol_words_map(mm, words, base, size);

	if (!ret && IS_ENABLED(CONFIG_SHMEM))
		SHMEM_I(file_inode(words))->seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW |
						    F_SEAL_FUTURE_WRITE;
	return ret;
}

/* Check whether words are still mapped at an address.  Context: the mmap lock held. */
bool words_there(struct mm_struct *mm, const struct file *words, unsigned long base)
{
	const struct vm_area_struct *vma = find_vma(mm, base);

	return vma && vma->vm_file == words && vma->vm_start == base;
}

/**
 * words_page() - bring a page of words into memory
 * @words: the file
 * @at: position of the page in the file, in bytes
 *
 * The page is charged as the caller's memory is.
 *
 * Context: may sleep.
 * Return: the page, with a reference; or an ERR_PTR.
 */
struct page *words_page(struct file *words, unsigned long at)
{
	return shmem_read_mapping_page_gfp(words->f_mapping, at / PAGE_SIZE, WORDS_GFP);
}
