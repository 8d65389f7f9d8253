// SPDX-License-Identifier: GPL-2.0
/*
 * Putting breakpoints into text, taking them out, and the other writes to
 * memory of a process.
 *
 * The first write to a page of a private file mapping gives the process its
 * own copy (FOLL_FORCE: although the mapping is read-only).  The breakpoint is
 * one byte, so storing it needs no other CPU to stop: each sees the old
 * instruction or the breakpoint (Intel SDM vol. 3, 9.1.3 on cross-modifying
 * code; what the processor needs beyond an atomic store is that the new byte
 * is an int3, whose trap serializes).
 */
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>

#include "arch.h"
#include "breakpoint.h"
#include "compat.h"

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

/*
 * One page of @mm, writable, with a reference.  For text it has become the
 * private copy of the process.
 */
static struct page *page_get(struct mm_struct *mm, unsigned long addr, unsigned int flags)
{
	struct page *page;
	long got = compat_gup_remote(mm, addr, flags | FOLL_FORCE, &page);

	if (got < 0)
		return ERR_PTR(got);
	return got ? page : ERR_PTR(-EFAULT);
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
 * -EIO when it is and cannot be read.
 */
int text_read(struct mm_struct *mm, unsigned long addr, u8 *buf, size_t len)
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
		struct page *page = page_get(mm, addr, 0);

		if (IS_ERR(page)) {
			ret = -EIO;
			break;
		}
		memcpy_from_page(buf + done, page, offset_in_page(addr), n);
		put_page(page);
		done += n;
		addr += n;
	}
	mmap_read_unlock(mm);
	return done ? done : ret;
}

static int byte_exchange(struct mm_struct *mm, unsigned long addr, u8 from, u8 to)
{
	struct page *page;
	u8 *bytes;
	int ret = 0;

	page = page_get(mm, addr, FOLL_WRITE);
	if (IS_ERR(page))
		return PTR_ERR(page);
	/* A page of the file itself must not be written. */
	if (WARN_ON_ONCE(!PageAnon(page))) {
		put_page(page);
		return -EINVAL;
	}

	bytes = kmap_local_page(page);
	if (cmpxchg(&bytes[offset_in_page(addr)], from, to) != from)
		ret = -EEXIST;
	kunmap_local(bytes);
	if (!ret)
		set_page_dirty_lock(page);
	put_page(page);
	return ret;
}

/**
 * breakpoint_insert() - put a breakpoint in place
 * @mm: the address space, in use
 * @addr: address of the instruction
 * @orig: the first byte of the instruction that was analysed
 * @inode: the file that must be mapped there, or NULL for whatever is
 * @offset: position in that file
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0; -EINVAL when the mapping is no longer what it was, -EEXIST when
 * the byte is not @orig; what getting the page came to.
 */
int breakpoint_insert(struct mm_struct *mm, unsigned long addr, u8 orig,
		      const struct inode *inode, loff_t offset)
{
	struct vm_area_struct *vma;
	int ret = -EINVAL;

	mmap_read_lock(mm);
	vma = find_vma(mm, addr);
	if (!vma || vma->vm_start > addr || !text_probeable(vma))
		goto unlock;
	if (inode && (!vma->vm_file || file_inode(vma->vm_file) != inode ||
		      ((loff_t)vma->vm_pgoff << PAGE_SHIFT) + (addr - vma->vm_start) != offset))
		goto unlock;
	ret = byte_exchange(mm, addr, orig, ARCH_BREAKPOINT);
unlock:
	mmap_read_unlock(mm);
	return ret;
}

/* Whether @text is at @addr, under a breakpoint; as far as its first page goes. */
static bool breakpoint_found(struct mm_struct *mm, unsigned long addr, const u8 *text,
			     size_t len)
{
	u8 there[UINSN_MAX_LEN];
	struct page *page;

	len = min_t(size_t, len, PAGE_SIZE - offset_in_page(addr));
	page = page_get(mm, addr, 0);
	if (IS_ERR(page))
		return false;
	memcpy_from_page(there, page, offset_in_page(addr), len);
	put_page(page);
	return there[0] == ARCH_BREAKPOINT && !memcmp(there + 1, text + 1, len - 1);
}

/**
 * breakpoint_remove() - put the original byte back
 * @mm: the address space, in use
 * @addr: address of the instruction
 * @text: the instruction
 * @len: its length
 *
 * Only where the rest of the instruction is there, too: something else that
 * came to be mapped there may hold the same byte.
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0; -ENOENT when no breakpoint is there; what getting the page came to.
 */
int breakpoint_remove(struct mm_struct *mm, unsigned long addr, const u8 *text, size_t len)
{
	struct vm_area_struct *vma;
	int ret = -ENOENT;

	mmap_read_lock(mm);
	vma = find_vma(mm, addr);
	if (vma && vma->vm_start <= addr && !(vma->vm_flags & VM_MAYSHARE) &&
	    breakpoint_found(mm, addr, text, len)) {
		ret = byte_exchange(mm, addr, ARCH_BREAKPOINT, text[0]);
		if (ret == -EEXIST)
			ret = -ENOENT;
	}
	mmap_read_unlock(mm);
	return ret;
}

/**
 * word_restore() - exchange a word of a stack, if it still is what it was
 * @mm: the address space, in use
 * @addr: where the word lies
 * @from: what it must be
 * @to: what it becomes
 * @size: 4 or 8 bytes
 *
 * The owner of the stack may be running, so the exchange is atomic, and a word
 * that crosses a page cannot be exchanged: none such is ever hijacked.
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0, -ENOENT when the word is another one, or what getting the page
 * came to.
 */
int word_restore(struct mm_struct *mm, unsigned long addr, unsigned long from,
		 unsigned long to, unsigned int size)
{
	struct page *page;
	void *word;
	int ret = 0;

	if (offset_in_page(addr) + size > PAGE_SIZE)
		return -EFAULT;

	/* Held over the exchange: a fork would make the page somebody else's. */
	mmap_read_lock(mm);
	page = page_get(mm, addr, FOLL_WRITE);
	if (IS_ERR(page)) {
		mmap_read_unlock(mm);
		return PTR_ERR(page);
	}

	word = kmap_local_page(page);
	if (size == 8) {
		u64 *p = word + offset_in_page(addr);

		if (cmpxchg(p, (u64)from, (u64)to) != from)
			ret = -ENOENT;
	} else {
		u32 *p = word + offset_in_page(addr);

		if (cmpxchg(p, (u32)from, (u32)to) != (u32)from)
			ret = -ENOENT;
	}
	kunmap_local(word);
	if (!ret)
		set_page_dirty_lock(page);
	put_page(page);
	mmap_read_unlock(mm);
	return ret;
}
