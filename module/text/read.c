// SPDX-License-Identifier: GPL-2.0
/*
 * Reading text of another address space.
 */
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "read.h"
#include "base/compat.h"

/**
 * text_probeable() - whether breakpoints may be put into a mapping
 * @vma: the mapping
 *
 * It has to be private, or the breakpoint would reach other processes or the
 * file; and executable.  Huge pages of hugetlbfs are not copied for a byte.
 *
 * Context: mmap lock held.
 */
bool text_probeable(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & (VM_EXEC | VM_MAYSHARE | VM_HUGETLB | VM_PFNMAP | VM_IO)) ==
	       VM_EXEC;
}

/**
 * text_refusal() - why breakpoints cannot be put into a mapping
 * @vma: the mapping, which text_probeable() refuses; or NULL where there is none
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
 * page_get() - a page of an address space
 * @mm: the address space, in use
 * @addr: an address in the page
 * @flags: FOLL_WRITE for a page to write to: that of text has become the private copy of the
 *	process by then
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

/* That the task is being killed, or memory is short, says nothing of the text. */
static int text_error(const struct page *page)
{
	long err = PTR_ERR(page);

	return err == -EINTR || err == -ENOMEM ? err : -EIO;
}

/**
 * text_read() - copy text out of an address space
 * @mm: the address space, in use
 * @addr: where from
 * @buf: where to
 * @len: at most so many bytes
 *
 * Context: may sleep; takes the mmap lock.
 * Return: the number of bytes read, fewer than @len where the next page
 * cannot be read; -EINVAL when @addr is in no mapping that may be probed;
 * -EIO when it is and cannot be read; -EINTR when the task is being killed, and -ENOMEM when
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
 * text_bring() - have a page of text brought into memory
 * @mm: the address space, in use
 * @addr: an address in the page
 *
 * For text that nobody asked to have probed, before locks are taken that others wait for:
 * its file system may be a program, which answers when it likes.
 *
 * Context: may sleep, for as long as the task is not killed; takes the mmap lock, and gives it
 * back while it waits.
 * Return: whether the page was there.
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

/* Goes to the page of @addr.  No mapping begins or ends within one. */
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
 * @reader: where it has been read before
 * @addr: where from
 * @buf: where to
 * @len: at most so many bytes
 *
 * As text_read(), with one look for all that lies in one page.
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
	memcpy_from_page(buf, reader->page, offset_in_page(addr), len);
	return len;
}

/* Drops the page.  Held while breakpoints are written, it would have them copy it once more. */
void text_reader_end(struct text_reader *reader)
{
	if (reader->page)
		put_page(reader->page);
	reader->page = NULL;
}
