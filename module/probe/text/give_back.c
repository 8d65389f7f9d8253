// SPDX-License-Identifier: GPL-2.0
/*
 * Give private pages of text back, where the file has the same.
 *
 * A page with breakpoints is a copy that belongs to the process.  When they are removed, and the
 * page and the file differ in nothing else, the process needs no page of its own: it can use that
 * of the file, as before there were probes.
 *
 * A forked child shares the pages that have its parent's breakpoints.  To remove them, it would
 * have to copy each page.  So its pages are given back with them.
 */
#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/userfaultfd_k.h>

#include "give_back.h"
#include "arch.h"
#include "breakpoint.h"
#include "owner.h"
#include "read.h"
#include "base/compat.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_tree.h"

/* Pages that are given back in one hold of the mmap lock. */
#define PAGES_MAX	64

/* Find the first byte from @at on in which two pages differ; PAGE_SIZE if there is none. */
static unsigned int next_difference(const u8 *a, const u8 *b, unsigned int at)
{
	const u64 *x = (const u64 *)a, *y = (const u64 *)b;
	unsigned int word;

	for (; at % sizeof(*x); at++) {
		if (a[at] != b[at])
			return at;
	}
	for (word = at / sizeof(*x); word < PAGE_SIZE / sizeof(*x); word++) {
		/* Mostly pages are the same: take a line of the cache at a time. */
		while (!(word % 8) && word < PAGE_SIZE / sizeof(*x) &&
		       x[word] == y[word] && x[word + 1] == y[word + 1] &&
		       x[word + 2] == y[word + 2] && x[word + 3] == y[word + 3] &&
		       x[word + 4] == y[word + 4] && x[word + 5] == y[word + 5] &&
		       x[word + 6] == y[word + 6] && x[word + 7] == y[word + 7])
			word += 8;
		if (word < PAGE_SIZE / sizeof(*x) && x[word] != y[word])
			return word * sizeof(*x) + __ffs64(x[word] ^ y[word]) / BITS_PER_BYTE;
	}
	return PAGE_SIZE;
}

/*
 * Check whether two pages differ by breakpoints of ours only: those of the parent's sites from
 * @site on.  @base is the address of the page.
 */
static bool differ_by_sites(struct site *site, struct mm_struct *mm, unsigned long base,
			    const u8 *there, const u8 *file)
{
	unsigned int at = next_difference(there, file, 0);

	for (; at < PAGE_SIZE; at = next_difference(there, file, at + 1)) {
		while (site && site->key.addr < base + at)
			site = pmm_next_site(site);
		if (!site || site->key.addr != base + at ||
		    owner_keeps(mm, READ_ONCE(site->owner)) ||
		    there[at] != ARCH_BREAKPOINT || file[at] != site->plan->text[0])
			return false;
	}
	return true;
}

/* Check whether the page of a site can be given back. */
static bool page_returns(struct site *site, struct vm_area_struct *vma, unsigned long base)
{
	struct page *page = page_get(vma->vm_mm, base, 0);
	struct page *file = NULL;
	bool returns = false;
	u8 *a, *b;

	if (IS_ERR(page))
		return false;
	/* A page that is not in memory would have to be read. */
	if (PageAnon(page))
		file = find_get_page(vma->vm_file->f_mapping, linear_page_index(vma, base));
	if (file && PageUptodate(file)) {
		a = kmap_local_page(page);
		b = kmap_local_page(file);
		returns = differ_by_sites(site, vma->vm_mm, base, a, b);
		kunmap_local(b);
		kunmap_local(a);
	}
	if (file)
		put_page(file);
	put_page(page);
	return returns;
}

/* Check whether pages of a mapping can be given back: not locked, and without userfaultfd. */
static bool mapping_returns(struct vm_area_struct *vma, unsigned long start)
{
	return vma && vma->vm_start <= start && vma->vm_file && text_probeable(vma) &&
	       !(vma->vm_flags & (VM_LOCKED | VM_MIXEDMAP)) && !userfaultfd_armed(vma);
}

/**
 * text_give_back() - give pages of a child back that differ from the file by breakpoints only
 * @parent: probed mm of the parent, whose breakpoints these are
 * @mm: the address space of the child, which has no sites; no thread executes its code
 * @start: address of a page that has sites of the parent
 *
 * Go on with the next page, as long as there is a site in it.
 *
 * Context: may sleep; probed_mm::lock of the parent held, takes the mmap lock.
 * Return: the end of the last page; @start if none has been given back.
 */
unsigned long text_give_back(struct probed_mm *parent, struct mm_struct *mm, unsigned long start)
{
	unsigned long end = start;
	struct site *site = pmm_first_site(parent, start);
	struct vm_area_struct *vma;

	/* The page must not be written between the comparison and its return. */
	mmap_write_lock(mm);
	vma = find_vma(mm, start);
	if (!mapping_returns(vma, start) || compat_has_uprobes(mm))
		goto unlock;
	while (site && (site->key.addr & PAGE_MASK) == end && end < vma->vm_end &&
	       end - start < PAGES_MAX * PAGE_SIZE && page_returns(site, vma, end)) {
		end += PAGE_SIZE;
		site = pmm_first_site(parent, end);
	}
	if (end > start && !compat_zap(vma, start, end - start))
		end = start;
unlock:
	mmap_write_unlock(mm);
	return end;
}

/* Check whether no site has a breakpoint in a page.  Context: probed_mm::lock held. */
static bool page_unprobed(struct probed_mm *pmm, unsigned long base)
{
	struct site *site = pmm_first_site(pmm, base);

	while (site && site->key.addr < base + PAGE_SIZE && site->state == SITE_IDLE)
		site = pmm_next_site(site);
	return !site || site->key.addr >= base + PAGE_SIZE;
}

/* Check whether the process needs no page of its own.  Context: the mmap lock held for writing. */
static bool page_needless(struct probed_mm *pmm, struct vm_area_struct *vma, unsigned long base)
{
	/* A program stores into a mapping that it may write to without any lock. */
	return mapping_returns(vma, base) && !(vma->vm_flags & VM_WRITE) &&
	       page_unprobed(pmm, base) && page_returns(NULL, vma, base);
}

/*
 * Give back the pages of some edits.  Return the number of edits whose pages have been considered.
 * Context: the mmap lock held for writing.
 */
static unsigned int edits_give_back(struct probed_mm *pmm, const struct text_edit *edits,
				    unsigned int n)
{
	struct vm_area_struct *vma = NULL;
	unsigned long start = 0, end = 0, last = ULONG_MAX, base;
	unsigned int i, pages = 0;

	for (i = 0; i < n && pages < PAGES_MAX; i++) {
		base = edits[i].addr & PAGE_MASK;
		/* A page that had no breakpoint may be absent, and take any time to come. */
		if (edits[i].result || base == last)
			continue;
		last = base;
		pages++;
		if (!vma || base >= vma->vm_end || base != end) {
			if (end > start)
				compat_zap(vma, start, end - start);
			vma = find_vma(pmm->mm, base);
			start = base;
			end = base;
		}
		if (page_needless(pmm, vma, base))
			end += PAGE_SIZE;
	}
	if (end > start)
		compat_zap(vma, start, end - start);
	return i;
}

/**
 * text_give_back_edited() - give pages back from which breakpoints were removed
 * @pmm: the probed mm, in use
 * @edits: the breakpoints, in ascending order of their addresses
 * @n: number of @edits
 *
 * If other threads keep the mmap lock, the process keeps its pages: a fault may wait for a file
 * system that a user provides.
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 */
void text_give_back_edited(struct probed_mm *pmm, const struct text_edit *edits, unsigned int n)
{
	unsigned int done;

	lockdep_assert_held(&pmm->lock);
	for (; n && compat_mmap_write_trylock(pmm->mm); edits += done, n -= done) {
		done = compat_has_uprobes(pmm->mm) ? n : edits_give_back(pmm, edits, n);
		mmap_write_unlock(pmm->mm);
		cond_resched();
	}
}
