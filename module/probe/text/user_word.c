// SPDX-License-Identifier: GPL-2.0
/*
 * Change single words of another address space: return addresses and reference counters.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "user_word.h"
#include "read.h"

/**
 * word_restore() - restore a word of a stack, unless it has changed
 * @mm: the address space, in use
 * @addr: address of the word
 * @from: the value that it must have
 * @to: the value to restore
 * @size: 4 or 8 bytes
 *
 * The thread of the stack may be running, so the exchange is atomic.  A word that crosses a page
 * cannot be exchanged: the module never replaces a return address in such a word.
 *
 * Context: may sleep; takes the mmap lock.
 * Return: 0; -ENOENT if the word has another value, -EFAULT if it crosses a page, or the error of
 * getting the page.
 */
int word_restore(struct mm_struct *mm, unsigned long addr, unsigned long from,
		 unsigned long to, unsigned int size)
{
	struct page *page;
	void *word;
	int ret = 0;

	if (offset_in_page(addr) + size > PAGE_SIZE)
		return -EFAULT;

	/* Hold the lock during the exchange: a fork could leave this page to the child. */
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

/**
 * u16_add() - increment or decrement a 16-bit word of a process's data
 * @mm: the address space, in use
 * @addr: address of the word, which must be even
 * @change: 1 or -1
 *
 * The program may change the word at the same time, so the change is atomic.  A word that is
 * 0 is not decremented.
 *
 * Context: may sleep; mmap lock held.
 * Return: 0; -EINVAL if the address is odd, -ERANGE if the word is at the end of its range; or
 * the error of getting the page.
 */
int u16_add(struct mm_struct *mm, unsigned long addr, int change)
{
	struct page *page;
	u16 *word, old;
	void *bytes;
	int ret = 0;

	if (addr % sizeof(u16))
		return -EINVAL;
	page = page_get(mm, addr, FOLL_WRITE);
	if (IS_ERR(page))
		return PTR_ERR(page);
	bytes = kmap_local_page(page);
	word = bytes + offset_in_page(addr);
	do {
		old = READ_ONCE(*word);
		if (change < 0 ? !old : old == U16_MAX) {
			ret = -ERANGE;
			break;
		}
	} while (cmpxchg(word, old, (u16)(old + change)) != old);
	kunmap_local(bytes);
	if (!ret)
		set_page_dirty_lock(page);
	put_page(page);
	return ret;
}
