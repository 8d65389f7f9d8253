// SPDX-License-Identifier: GPL-2.0
/*
 * Insert breakpoints into text, and remove them.
 *
 * The first write to a page of a private file mapping gives the process its
 * own copy (FOLL_FORCE: although the mapping is read-only).
 *
 * The breakpoint is one byte, so no other CPU has to stop while it is stored: each CPU sees the
 * old instruction or the breakpoint (Intel SDM vol. 3, 9.1.3 on cross-modifying code).  Beyond an
 * atomic store, the processor requires that the new byte is an int3, whose trap serializes.
 *
 * A removal stores the original byte.  A CPU sees that or the breakpoint; late_trap.c handles the
 * latter.
 */
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched.h>

#include "breakpoint.h"
#include "arch.h"
#include "mapped_file.h"
#include "owner.h"
#include "read.h"
#include "base/compat.h"
#include "core/site.h"

/**
 * struct editor - the state of a series of edits
 * @mm: the address space; its mmap lock is held
 * @vma: the mapping of the last edit, NULL at the start
 * @page: the page of the last edit, with a reference; or NULL
 * @base: address of @page
 * @shown: @page may only be read
 * @none: the process has no page of its own at @base
 * @written: something has been stored into @page
 * @alone: the mmap lock is held for writing
 */
struct editor {
	struct mm_struct *mm;
	struct vm_area_struct *vma;
	struct page *page;
	unsigned long base;
	bool shown;
	bool none;
	bool written;
	bool alone;
};

static void editor_leave_page(struct editor *ed)
{
	if (ed->page) {
		if (ed->written)
			set_page_dirty_lock(ed->page);
		put_page(ed->page);
	}
	ed->page = NULL;
	ed->none = false;
	ed->written = false;
}

/*
 * Take the mmap lock: for writing if the kernel's uprobes may have breakpoints there.
 *
 * The kernel's uprobes mostly write with the lock held for writing.  But if the handlers of a task
 * no longer want a breakpoint, the task removes it with the lock held for reading.  Before 6.16,
 * the task replaces the page by a copy, and a write of ours to the old page would be lost.
 */
static void editor_lock(struct editor *ed)
{
	ed->alone = compat_has_uprobes(ed->mm);
	if (ed->alone)
		mmap_write_lock(ed->mm);
	else
		mmap_read_lock(ed->mm);
	/* The kernel's uprobes may have come in between.  While the lock is held, they cannot. */
	if (!ed->alone && compat_has_uprobes(ed->mm)) {
		mmap_read_unlock(ed->mm);
		mmap_write_lock(ed->mm);
		ed->alone = true;
	}
}

static void editor_unlock(struct editor *ed)
{
	if (ed->alone)
		mmap_write_unlock(ed->mm);
	else
		mmap_read_unlock(ed->mm);
}

/* Release the mmap lock for a moment.  Allowed between two pages only. */
static void editor_pause(struct editor *ed)
{
	editor_leave_page(ed);
	ed->vma = NULL;
	editor_unlock(ed);
	cond_resched();
	editor_lock(ed);
}

static struct vm_area_struct *editor_vma(struct editor *ed, unsigned long addr)
{
	struct vm_area_struct *vma = ed->vma;

	if (vma && addr >= vma->vm_start && addr < vma->vm_end)
		return vma;
	vma = find_vma(ed->mm, addr);
	ed->vma = vma && vma->vm_start <= addr ? vma : NULL;
	return ed->vma;
}

/* Check whether the editor has the page of @addr, for writing, or if @look, for reading. */
static bool editor_at(const struct editor *ed, unsigned long addr, bool look)
{
	return (ed->page || ed->none) && ed->base == (addr & PAGE_MASK) && (look || !ed->shown);
}

/*
 * Get the page of @addr for reading.  Return -ENOENT if it is not the process's own page: then it
 * has no breakpoint in it.
 */
static int editor_look(struct editor *ed, unsigned long addr)
{
	struct page *page;

	if (editor_at(ed, addr, true))
		return ed->none ? -ENOENT : 0;
	editor_leave_page(ed);
	page = page_get(ed->mm, addr & PAGE_MASK, 0);
	if (IS_ERR(page))
		return PTR_ERR(page);
	ed->base = addr & PAGE_MASK;
	ed->shown = true;
	if (!PageAnon(page)) {
		put_page(page);
		ed->none = true;
		return -ENOENT;
	}
	ed->page = page;
	return 0;
}

/* Get the page of @addr for writing. */
static int editor_page(struct editor *ed, unsigned long addr)
{
	unsigned long base = addr & PAGE_MASK;
	struct page *page;

	if (editor_at(ed, addr, false))
		return 0;
	editor_leave_page(ed);
	page = text_page(ed->mm, base, FOLL_WRITE);
	if (IS_ERR(page))
		return PTR_ERR(page);
	/* A page of the file itself must not be written. */
	if (WARN_ON_ONCE(!PageAnon(page))) {
		put_page(page);
		return -EINVAL;
	}
	ed->page = page;
	ed->base = base;
	ed->shown = false;
	return 0;
}

static int editor_exchange(struct editor *ed, unsigned long addr, u8 from, u8 to)
{
	u8 *bytes = kmap_local_page(ed->page);
	int ret = cmpxchg(&bytes[offset_in_page(addr)], from, to) == from ? 0 : -EEXIST;

	kunmap_local(bytes);
	ed->written |= !ret;
	return ret;
}

/* Compare the bytes behind the first one of an instruction, up to the end of the page. */
static bool editor_follows(struct editor *ed, const struct text_edit *edit, size_t len)
{
	const u8 *page = kmap_local_page(ed->page);
	size_t at = offset_in_page(edit->addr);
	bool same;

	len = min_t(size_t, len, PAGE_SIZE - at);
	same = text_same(page + at + 1, edit->text + 1, len - 1);
	kunmap_local(page);
	return same;
}

static u8 editor_first(const struct editor *ed, const struct text_edit *edit)
{
	const u8 *page = kmap_local_page(ed->page);
	u8 first = READ_ONCE(page[offset_in_page(edit->addr)]);

	kunmap_local(page);
	return first;
}

/*
 * Get the page of an edit for reading, and check whether it has a breakpoint there.  A child shares
 * such pages with its parent: do not make it copy them.
 */
static bool editor_has(struct editor *ed, const struct text_edit *edit)
{
	return !editor_look(ed, edit->addr) && editor_first(ed, edit) == ARCH_BREAKPOINT;
}

static int insert_one(struct editor *ed, const struct text_edit *edit)
{
	const struct vm_area_struct *vma = editor_vma(ed, edit->addr);
	u8 first;
	int ret;

	if (!vma || !text_probeable(vma))
		return -EINVAL;
	if (edit->inode && (!vma->vm_file || file_inode(vma->vm_file) != edit->inode ||
			    vma_position(vma, edit->addr) != edit->offset))
		return -EINVAL;
	if (edit->fresh || !editor_has(ed, edit)) {
		ret = editor_page(ed, edit->addr);
		if (ret)
			return ret;
	}
	/* From now on, the mmu notifier sees when the program becomes able to change this text. */
	if (edit->site && vma->vm_flags & VM_WRITE)
		WRITE_ONCE(edit->site->pmm->text.unsure, true);
	/* The slot has the instruction as it was analysed: the text must still be the same. */
	if (!editor_follows(ed, edit, edit->len))
		return -ESTALE;
	/*
	 * Set owner and state before the store, as the trap may come at once.  Do not set them
	 * before the mmap lock is held: the hooks on the kernel's uprobes act on both, and the lock
	 * keeps uprobes from inserting or removing a breakpoint.
	 */
	first = editor_first(ed, edit);
	if (edit->site && (first == edit->text[0] || (edit->fresh && first == ARCH_BREAKPOINT))) {
		WRITE_ONCE(edit->site->owner,
			   first == ARCH_BREAKPOINT ? OWNER_OTHER_FIRST : OWNER_OURS);
		WRITE_ONCE(edit->site->state, SITE_ARMED);
	}
	ret = ed->shown ? -EEXIST :
			  editor_exchange(ed, edit->addr, edit->text[0], ARCH_BREAKPOINT);
	return ret && editor_first(ed, edit) != ARCH_BREAKPOINT ? -ESTALE : ret;
}

/*
 * Look for the breakpoint of an edit.  Return 0 if it is there with the rest of the instruction;
 * -EEXIST if something else follows it, -ENOENT if there is no breakpoint.
 */
static int editor_finds(struct editor *ed, const struct text_edit *edit)
{
	bool patched = edit->state && READ_ONCE(*edit->state) == SITE_ARMED;

	if (editor_first(ed, edit) != ARCH_BREAKPOINT)
		return -ENOENT;
	return editor_follows(ed, edit, patched ? edit->fixed : edit->len) ? 0 : -EEXIST;
}

static int remove_one(struct editor *ed, const struct text_edit *edit)
{
	const struct vm_area_struct *vma = editor_vma(ed, edit->addr);
	int ret;

	if (!vma || vma->vm_flags & VM_MAYSHARE)
		return -ENOENT;
	if (edit->owner && owner_keeps(ed->mm, READ_ONCE(*edit->owner)))
		return -ENOENT;
	ret = editor_look(ed, edit->addr);
	if (ret)
		return ret;
	/* If the breakpoint is not there, do not make the process copy the page. */
	ret = editor_finds(ed, edit) ?: editor_page(ed, edit->addr);
	if (ret)
		return ret;
	return editor_exchange(ed, edit->addr, ARCH_BREAKPOINT, edit->text[0]) ? -ENOENT : 0;
}

/* Repeat a store: an emulator may still use its translation of the old bytes. */
static void store_again(struct editor *ed, const struct text_edit *edit)
{
	const struct vm_area_struct *vma = editor_vma(ed, edit->addr);
	u8 *byte;

	/* The lock may have been released in between, so the mapping may be another one by now. */
	if (!vma || vma->vm_flags & VM_MAYSHARE || editor_look(ed, edit->addr) ||
	    editor_page(ed, edit->addr))
		return;
	byte = kmap_local_page(ed->page);
	byte += offset_in_page(edit->addr);
	cmpxchg(byte, ARCH_BREAKPOINT, ARCH_BREAKPOINT);
	kunmap_local(byte);
}

static void editor_go_on(struct editor *ed, unsigned long addr)
{
	if (ed->base != (addr & PAGE_MASK) &&
	    (need_resched() || mmap_lock_is_contended(ed->mm)))
		editor_pause(ed);
}

static void edit_all(struct mm_struct *mm, struct text_edit *edits, unsigned int n,
		     int (*one)(struct editor *ed, const struct text_edit *edit))
{
	struct editor ed = { .mm = mm };
	bool stored = false;
	unsigned int i;

	editor_lock(&ed);
	for (i = 0; i < n; i++) {
		editor_go_on(&ed, edits[i].addr);
		edits[i].result = one(&ed, &edits[i]);
		stored |= !edits[i].result;
	}
	/* A task that edits its own text is not executing it. */
	if (stored && arch_text_translated() &&
	    (current->mm != mm || atomic_read(&mm->mm_users) > 1)) {
		arch_sync_text(mm);
		for (i = 0; i < n; i++) {
			editor_go_on(&ed, edits[i].addr);
			if (!edits[i].result)
				store_again(&ed, &edits[i]);
		}
	}
	editor_leave_page(&ed);
	editor_unlock(&ed);
}

/**
 * breakpoints_insert() - insert breakpoints into text
 * @mm: the address space, in use
 * @edits: the breakpoints; those of one page next to each other, so that it is looked up once
 * @n: number of @edits
 *
 * The result of each edit is 0; -EINVAL if the mapping has changed, -EEXIST if a breakpoint is
 * there already, -ESTALE if another instruction is there; or the error of getting the page.
 *
 * Context: may sleep; takes the mmap lock.
 */
void breakpoints_insert(struct mm_struct *mm, struct text_edit *edits, unsigned int n)
{
	edit_all(mm, edits, n, insert_one);
}

/**
 * breakpoints_remove() - restore the original bytes
 * @mm: the address space, in use
 * @edits: the breakpoints; those of one page next to each other
 * @n: number of @edits
 *
 * Remove a breakpoint only if it has no other owner, and if the rest of the instruction follows
 * it: a new mapping at that address may hold the same byte.
 *
 * The result of each edit is 0; -ENOENT if there is no breakpoint to remove; -EEXIST if something
 * else follows it; or the error of getting the page.
 *
 * Context: may sleep; takes the mmap lock.
 */
void breakpoints_remove(struct mm_struct *mm, struct text_edit *edits, unsigned int n)
{
	edit_all(mm, edits, n, remove_one);
}
