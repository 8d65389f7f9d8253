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
#include <linux/mmap_lock.h>
#include <linux/sched.h>

#include "arch.h"
#include "breakpoint.h"
#include "base/compat.h"
#include "core/image.h"

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

/*
 * One page of @mm, writable, with a reference.  For text it has become the
 * private copy of the process.
 */
static struct page *page_get(struct mm_struct *mm, unsigned long addr, unsigned int flags)
{
	struct page *page;
	long got = compat_gup_remote(mm, addr, flags | FOLL_FORCE, &page, NULL);

	if (got < 0)
		return ERR_PTR(got);
	return got ? page : ERR_PTR(-EFAULT);
}

/* Tests have it fail by itself. */
#ifndef text_page
#define text_page(mm, addr, flags)	page_get(mm, addr, flags)
#endif

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
			    ((loff_t)vma->vm_pgoff << PAGE_SHIFT) + (edit->addr - vma->vm_start) !=
			    edit->offset))
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
		WRITE_ONCE(edit->site->foreign,
			   first == ARCH_BREAKPOINT ? FOREIGN_FIRST : FOREIGN_NONE);
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
	if (edit->foreign && foreign_stays(ed->mm, READ_ONCE(*edit->foreign)))
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

/**
 * u16_add() - change a 16-bit word of a process's data
 * @mm: the address space, in use
 * @addr: where the word lies, at an even address
 * @change: 1 or -1
 *
 * The program may change it as well, so the change is atomic.  A word that is
 * 0 is not decremented.
 *
 * Context: may sleep; mmap lock held.
 * Return: 0; -EINVAL when the address is odd, -ERANGE when the word is at the
 * end of its range; or what getting the page came to.
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
