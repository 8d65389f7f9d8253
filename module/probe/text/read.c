// SPDX-License-Identifier: GPL-2.0
/*
 * Read text of another address space.
 */
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "read.h"
#include "base/compat.h"

/**
 * text_probeable() - check whether breakpoints may be inserted into a mapping
 * @vma: the mapping
 *
 * The mapping must be executable.  It must be private, or the breakpoint would reach other
 * processes or the file.  Huge pages of hugetlbfs are not copied for one byte.
 *
 * Context: mmap lock held.
 */
bool text_probeable(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & (VM_EXEC | VM_MAYSHARE | VM_HUGETLB | VM_PFNMAP | VM_IO)) ==
	       VM_EXEC;
}

/**
 * text_refusal() - explain why breakpoints cannot be inserted into a mapping
 * @vma: the mapping, which text_probeable() refuses; or NULL if nothing is mapped
 *
 * Context: any.
 * Return: the words that complete "cannot be probed: "
 */
const char *text_refusal(const struct vm_area_struct *vma)
{
	if (!vma)
		return "nothing is mapped there";
	if (!(vma->vm_flags & VM_EXEC))
		return "what is mapped there is not executable";
	if (vma->vm_flags & VM_MAYSHARE)
		return "a shared mapping is there, and a breakpoint would reach the file";
	if (vma->vm_flags & VM_HUGETLB)
		return "text on hugetlbfs is there, whose pages are not copied for a byte";
	return "memory of a device is there";
}

/**
 * page_get() - get a page of an address space
 * @mm: the address space, in use
 * @addr: an address in the page
 * @flags: FOLL_WRITE for a page to write to; a page of text is then the private copy of the process
 *
 * Context: may sleep; mmap lock held.
 * Return: the page, with a reference, or ERR_PTR.
 */
struct page *page_get(struct mm_struct *mm, unsigned long addr, unsigned int flags)
{
	struct page *page;
	long got = compat_gup_remote(mm, addr, flags | FOLL_FORCE, &page, NULL);

	if (got < 0)
		return ERR_PTR(got);
	return got ? page : ERR_PTR(-EFAULT);
}

/*
 * Convert the error of getting a page.  Keep the errors that say nothing about the text: the task
 * is being killed, or memory is short.
 */
static int text_error(const struct page *page)
{
	long err = PTR_ERR(page);

	return err == -EINTR || err == -ENOMEM ? err : -EIO;
}

/**
 * text_read() - copy text out of an address space
 * @mm: the address space, in use
 * @addr: address of the text
 * @buf: the buffer to fill
 * @len: the largest number of bytes to read
 *
 * Context: may sleep; takes the mmap lock.
 * Return: the number of bytes read, fewer than @len if the next page
 * cannot be read; -EINVAL if @addr is in no mapping that may be probed;
 * -EIO if it is in one and cannot be read; -EINTR if the task is being killed; -ENOMEM if
 * there is no memory to bring the text in.
 */
static int text_read(struct mm_struct *mm, unsigned long addr, u8 *buf, size_t len)
{
	struct vm_area_struct *vma;
	size_t done = 0;
	int ret = 0;

	mmap_read_lock(mm);
	vma = find_vma(mm, addr);
	if (!vma || vma->vm_start > addr || !text_probeable(vma))
		ret = -EINVAL;
	while (!ret && done < len) {
		size_t n = min_t(size_t, len - done, PAGE_SIZE - offset_in_page(addr));
		struct page *page = text_page(mm, addr, 0);

		if (IS_ERR(page)) {
			ret = text_error(page);
			break;
		}
		memcpy_from_page(buf + done, page, offset_in_page(addr), n);
		put_page(page);
		done += n;
		addr += n;
	}
	mmap_read_unlock(mm);
	return done && (!ret || ret == -EIO) ? done : ret;
}

/**
 * text_bring() - bring a page of text into memory
 * @mm: the address space, in use
 * @addr: an address in the page
 *
 * Call this for text that no client has asked to probe, before taking locks that other tasks wait
 * for: the file system of the text may be a program, which can take any time to answer.
 *
 * Context: may sleep until the task is killed; takes the mmap lock, and releases it while it
 * waits.
 * Return: whether the page has come.
 */
bool text_bring(struct mm_struct *mm, unsigned long addr)
{
	struct page *page;
	int locked = 1;
	long got;

	if (mmap_read_lock_killable(mm))
		return false;
	got = compat_gup_remote(mm, addr & PAGE_MASK, FOLL_FORCE, &page, &locked);
	if (locked)
		mmap_read_unlock(mm);
	if (got <= 0)
		return false;
	put_page(page);
	return true;
}

/* Get the page of @addr, for all reads in it: no mapping begins or ends within a page. */
static int reader_page(struct text_reader *reader, unsigned long addr)
{
	unsigned long base = addr & PAGE_MASK;
	struct vm_area_struct *vma;
	struct page *page;
	int ret = -EINVAL;

	if (reader->page && reader->base == base)
		return 0;
	text_reader_end(reader);
	mmap_read_lock(reader->mm);
	vma = find_vma(reader->mm, addr);
	if (vma && vma->vm_start <= addr && text_probeable(vma)) {
		page = text_page(reader->mm, base, 0);
		ret = IS_ERR(page) ? text_error(page) : 0;
	}
	mmap_read_unlock(reader->mm);
	if (ret)
		return ret;
	reader->page = page;
	reader->base = base;
	return 0;
}

/**
 * text_reader_read() - copy text out of an address space
 * @reader: state of the reads before
 * @addr: address of the text
 * @buf: the buffer to fill
 * @len: the largest number of bytes to read
 *
 * Do what text_read() does, but look up a page only once for successive reads in it.
 *
 * Context: may sleep; takes the mmap lock.
 * Return: as text_read().
 */
int text_reader_read(struct text_reader *reader, unsigned long addr, u8 *buf, size_t len)
{
	int ret;

	if (offset_in_page(addr) + len > PAGE_SIZE)
		return text_read(reader->mm, addr, buf, len);
	ret = reader_page(reader, addr);
	if (ret)
		return ret;
	/* Mostly this length: no function is called to copy a constant one. */
	if (len == UINSN_MAX_LEN) {
		const u8 *page = kmap_local_page(reader->page);

		memcpy(buf, page + offset_in_page(addr), UINSN_MAX_LEN);
		kunmap_local(page);
	} else {
		memcpy_from_page(buf, reader->page, offset_in_page(addr), len);
	}
	return len;
}

/*
 * Drop the page.  If the reader still held it while breakpoints are written, the kernel would copy
 * it once more.
 */
void text_reader_end(struct text_reader *reader)
{
	if (reader->page)
		put_page(reader->page);
	reader->page = NULL;
}
