// SPDX-License-Identifier: GPL-2.0
/*
 * Putting breakpoints into text, and taking them out.
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
 * struct editor - where a series of edits has come to
 * @mm: the address space; its mmap lock is held
 * @vma: the mapping of the last edit, NULL at the start
 * @page: its page, writable, with a reference; or NULL
 * @base: address of @page
 * @shown: @page was got for reading only
 * @none: there is no page of the process's own at @base
 * @written: something has been stored into @page
 * @alone: the lock is held for writing
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
 * The kernel's uprobes mostly write with the mmap lock held for writing.  But a task whose
 * handlers want no more of a breakpoint takes it out under the lock for reading, and before 6.16
 * by a copy of the page, which would lose what is written to it meanwhile.
 */
static void editor_lock(struct editor *ed)
{
	ed->alone = compat_has_uprobes(ed->mm);
	if (ed->alone)
		mmap_write_lock(ed->mm);
	else
		mmap_read_lock(ed->mm);
	/* They came meanwhile: from here on they cannot. */
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

/* Lets others have the mmap lock; between two pages only. */
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

/* Whether the editor has the page of @addr, for writing, or at least to look at. */
static bool editor_at(const struct editor *ed, unsigned long addr, bool look)
{
	return (ed->page || ed->none) && ed->base == (addr & PAGE_MASK) && (look || !ed->shown);
}

/*
 * Goes to the page of @addr to look at it.  One that is not the process's own has
 * no breakpoint in it.
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

/* Goes to the page of @addr to write to it. */
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

/* Compares what follows the first byte of an instruction with the text, up to the page's end. */
static bool editor_follows(struct editor *ed, const struct text_edit *edit, size_t len)
{
	u8 there[UINSN_MAX_LEN];

	len = min_t(size_t, len, PAGE_SIZE - offset_in_page(edit->addr));
	memcpy_from_page(there, ed->page, offset_in_page(edit->addr), len);
	return text_same(there + 1, edit->text + 1, len - 1);
}

static u8 editor_first(const struct editor *ed, const struct text_edit *edit)
{
	u8 first;

	memcpy_from_page(&first, ed->page, offset_in_page(edit->addr), 1);
	return first;
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
	ret = editor_page(ed, edit->addr);
	if (ret)
		return ret;
	/* The slot has the instruction as it was analysed. */
	if (!editor_follows(ed, edit, edit->len))
		return -ESTALE;
	/*
	 * Before, as the trap may come at once, and not earlier: the mmap lock keeps the kernel's
	 * uprobes from coming and going, who go by what is told here.
	 */
	first = editor_first(ed, edit);
	if (edit->site && (first == edit->text[0] || (edit->fresh && first == ARCH_BREAKPOINT))) {
		WRITE_ONCE(edit->site->owner,
			   first == ARCH_BREAKPOINT ? OWNER_OTHER_FIRST : OWNER_OURS);
		WRITE_ONCE(edit->site->state, SITE_ARMED);
	}
	ret = editor_exchange(ed, edit->addr, edit->text[0], ARCH_BREAKPOINT);
	return ret && editor_first(ed, edit) != ARCH_BREAKPOINT ? -ESTALE : ret;
}

/*
 * 0 when the breakpoint is there with the rest of the instruction; -EEXIST when
 * something else follows it, -ENOENT when there is none.
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
	/* Where it is not, the page need not become the process's own. */
	ret = editor_finds(ed, edit) ?: editor_page(ed, edit->addr);
	if (ret)
		return ret;
	return editor_exchange(ed, edit->addr, ARCH_BREAKPOINT, edit->text[0]) ? -ENOENT : 0;
}

/* Repeats a store: an emulator may go on with its translation of what was there before. */
static void store_again(struct editor *ed, const struct text_edit *edit)
{
	const struct vm_area_struct *vma = editor_vma(ed, edit->addr);
	u8 *byte;

	/* The lock may have been let go of: it may be another mapping by now. */
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
 * breakpoints_insert() - put breakpoints in place
 * @mm: the address space, in use
 * @edits: where; those of one page together, so that it is looked up once
 * @n: how many
 *
 * The result of each is 0; -EINVAL when the mapping is no longer what it was,
 * -EEXIST when a breakpoint is there, -ESTALE when another instruction is; or what getting
 * the page came to.
 *
 * Context: may sleep; takes the mmap lock.
 */
void breakpoints_insert(struct mm_struct *mm, struct text_edit *edits, unsigned int n)
{
	edit_all(mm, edits, n, insert_one);
}

/**
 * breakpoints_remove() - put original bytes back
 * @mm: the address space, in use
 * @edits: where; those of one page together
 * @n: how many
 *
 * Only where it is nobody else's, and where the rest of the instruction is
 * there, too: something else that came to be mapped there may hold the same
 * byte.  The result of each is 0; -ENOENT when no breakpoint is there; -EEXIST when
 * something else follows it; or what getting the page came to.
 *
 * Context: may sleep; takes the mmap lock.
 */
void breakpoints_remove(struct mm_struct *mm, struct text_edit *edits, unsigned int n)
{
	edit_all(mm, edits, n, remove_one);
}
