// SPDX-License-Identifier: GPL-2.0
/*
 * Write jumps into text, and remove them, while threads execute it.
 *
 * A jump has five bytes, and the processor reads them one after the other.  So it must never see
 * some of them.  It takes three stages to write a jump over the breakpoint at A:
 *
 *	fence	a breakpoint at each instruction that begins in A+1 to A+4
 *	tail	the displacement in A+1 to A+4; its bytes trap where instructions begin
 *	head	the opcode at A, instead of the breakpoint
 *
 * Each stage stores single bytes, and ends with an interrupt on all processors that execute the
 * program.  A processor that has read an old byte has executed its instruction by then, and reads
 * again (Intel SDM vol. 3, 9.1.3).  Before and after each store, a thread at any of these
 * instructions executes the whole original instruction, or traps, or executes the whole jump.  The
 * erasure does the same backwards.
 *
 * All stages happen while the mmap lock is held, so a fork never copies the text in between.
 *
 * The page of the text cannot be replaced meanwhile: the process has its own copy of it, and the
 * jump holds a reference.  Before a fork shares the page, the jump is erased.
 */
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/moduleparam.h>

#include "jump_text.h"
#include "arch.h"
#include "jump_make.h"
#include "base/compat.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "text/owner.h"
#include "text/read.h"

/* Number of jumps in all processes. */
static atomic_t jumps_now = ATOMIC_INIT(0);

static int jumps_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", atomic_read(&jumps_now));
}

static const struct kernel_param_ops jumps_ops = {
	.get = jumps_get,
};

module_param_cb(jumps, &jumps_ops, NULL, 0444);
MODULE_PARM_DESC(jumps, "number of places that count without a trap now, in all processes");

/**
 * enum stage - what to store
 * @FENCE: breakpoints at the covered instructions
 * @TAIL: the displacement
 * @HEAD: the opcode of the jump
 * @HEAD_GONE: the breakpoint instead of the opcode
 * @TAIL_GONE: the original bytes, and breakpoints at the covered instructions
 * @FENCE_GONE: the original bytes there, too
 */
enum stage {
	FENCE,
	TAIL,
	HEAD,
	HEAD_GONE,
	TAIL_GONE,
	FENCE_GONE,
};

static void jump_store(const struct jump *jump, enum stage stage)
{
	const struct pun *pun = &jump->pad.pun;
	u8 *page = kmap_local_page(jump->page);
	u8 *text = page + offset_in_page(jump->pad.addr);
	unsigned int i;

	if (stage == HEAD)
		WRITE_ONCE(text[0], jump->code[0]);
	if (stage == HEAD_GONE)
		WRITE_ONCE(text[0], ARCH_BREAKPOINT);
	for (i = 1; i < PUN_LEN; i++) {
		bool begins = pun->traps >> i & 1;

		if (stage == TAIL)
			WRITE_ONCE(text[i], jump->code[i]);
		else if (begins && (stage == FENCE || stage == TAIL_GONE))
			WRITE_ONCE(text[i], ARCH_BREAKPOINT);
		else if (begins ? stage == FENCE_GONE : stage == TAIL_GONE)
			WRITE_ONCE(text[i], pun->text[i]);
	}
	kunmap_local(page);
}

/* Do one stage for all jumps in a list. */
static void jumps_store(struct mm_struct *mm, struct list_head *jumps, enum stage stage)
{
	struct jump *jump;

	list_for_each_entry(jump, jumps, in_pmm)
		jump_store(jump, stage);
	/* A task that edits its own text is not executing it. */
	if (current->mm == mm && atomic_read(&mm->mm_users) == 1)
		return;
	arch_sync_text(mm);
	if (!arch_text_translated())
		return;
	/* An emulator may still use its translation of the old bytes. */
	list_for_each_entry(jump, jumps, in_pmm)
		jump_store(jump, stage);
}

/* Check whether the jump is in the text. */
static bool text_jumps(const struct jump *jump)
{
	u8 there[PUN_LEN];

	memcpy_from_page(there, jump->page, offset_in_page(jump->pad.addr), PUN_LEN);
	return !memcmp(there, jump->code, PUN_LEN);
}

/*
 * Check whether the text is the one that the jump was made for, with our breakpoint.  Context:
 * probed_mm::lock and the mmap lock held.
 */
static bool text_suits(const struct jump *jump)
{
	unsigned int len = jump_text_len(jump->pad.addr);
	const struct pun *pun = &jump->pad.pun;
	u8 text[JUMP_TEXT];
	bool ours;

	memcpy_from_page(text, jump->page, offset_in_page(jump->pad.addr), len);
	ours = text[0] == ARCH_BREAKPOINT;
	return jump_text_clean(jump->site, text, len) && ours &&
	       jump_text_hash(text, len) == jump->seen &&
	       !memcmp(text, pun->text, min_t(unsigned int, pun->len, len));
}

/* Let others know of a jump that is about to be written. */
static void jump_count(struct probed_mm *pmm, struct jump *jump)
{
	unsigned long end = jump->pad.addr + jump->pad.pun.len;

	WRITE_ONCE(jump->traps, 0);
	WRITE_ONCE(jump->hits, jump_hits(jump));
	if (!pmm->jumps.nr || jump->pad.addr < pmm->jumps.low)
		WRITE_ONCE(pmm->jumps.low, jump->pad.addr);
	if (!pmm->jumps.nr || end > pmm->jumps.high)
		WRITE_ONCE(pmm->jumps.high, end);
	WRITE_ONCE(pmm->jumps.nr, pmm->jumps.nr + 1);
	atomic_inc(&jumps_now);
}

static bool site_ready(const struct site *site)
{
	return READ_ONCE(site->fast_state) == SITE_ARMED && !READ_ONCE(site->barred);
}

/*
 * Get the page of a jump, and set jump::on.  Return false if the jump must not be written: there is
 * no breakpoint of ours, not the same text behind it, or another site under the jump.  @last: the
 * jump before, whose page has been got in the same hold of the mmap lock; or NULL.
 */
static bool jump_begin(struct probed_mm *pmm, struct jump *jump, const struct jump *last)
{
	unsigned long addr = jump->pad.addr;
	const struct vm_area_struct *vma = find_vma(pmm->mm, addr);
	struct page *page;

	if (!vma || vma->vm_start > addr || !text_probeable(vma) || vma->vm_flags & VM_WRITE ||
	    !vma->vm_file || !site_ready(jump->site))
		return false;
	if (last && (last->pad.addr & PAGE_MASK) == (addr & PAGE_MASK)) {
		page = last->page;
		get_page(page);
	} else {
		page = text_page(pmm->mm, addr & PAGE_MASK, FOLL_WRITE);
		if (IS_ERR(page))
			return false;
	}
	jump->page = page;
	if (!PageAnon(page) || !text_suits(jump))
		goto put;
	WRITE_ONCE(jump->on, true);
	/* Pairs with signal_add_resumption(): it sees the jump, or the site is barred here. */
	smp_mb();
	if (site_ready(jump->site)) {
		jump_count(pmm, jump);
		return true;
	}
	WRITE_ONCE(jump->on, false);
put:
	put_page(page);
	jump->page = NULL;
	return false;
}

static void jump_end(struct probed_mm *pmm, struct jump *jump)
{
	list_del_init(&jump->in_pmm);
	WRITE_ONCE(jump->on, false);
	WRITE_ONCE(jump->site->heat, 0);
	set_page_dirty(jump->page);
	put_page(jump->page);
	jump->page = NULL;
	WRITE_ONCE(pmm->jumps.nr, pmm->jumps.nr - 1);
	atomic_dec(&jumps_now);
}

/**
 * jumps_write() - write jumps over breakpoints
 * @pmm: the probed mm, in use
 * @jumps: the jumps, which are not in the text
 * @n: number of @jumps
 *
 * Skip a jump if the text is not as it should be, or its breakpoint has another owner.  Skip all if
 * a debugger is just looking at the program.
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 */
void jumps_write(struct probed_mm *pmm, struct jump **jumps, unsigned int n)
{
	struct mm_struct *mm = pmm->mm;
	struct jump *jump, *next, *last = NULL;
	LIST_HEAD(begun);
	unsigned int i;

	lockdep_assert_held(&pmm->lock);
	mmap_read_lock(mm);
	/* While the lock is held, neither the kernel's uprobes nor new mappings can come. */
	for (i = 0; i < n && !pmm->jumps.off && !READ_ONCE(pmm->jumps.hidden_text) &&
	     !compat_has_uprobes(mm); i++) {
		if (!jump_begin(pmm, jumps[i], last))
			continue;
		last = jumps[i];
		list_add_tail(&last->in_pmm, &begun);
	}
	/* Pairs with gate_closed(): it sees these jumps, or has asked for time. */
	smp_mb();
	if (time_before(jiffies, READ_ONCE(pmm->jumps.not_before))) {
		list_for_each_entry_safe(jump, next, &begun, in_pmm)
			jump_end(pmm, jump);
	}
	if (!list_empty(&begun)) {
		jumps_store(mm, &begun, FENCE);
		jumps_store(mm, &begun, TAIL);
		jumps_store(mm, &begun, HEAD);
	}
	list_for_each_entry(jump, &begun, in_pmm) {
		set_page_dirty_lock(jump->page);
		jump->site->failures = 0;
	}
	list_splice_tail(&begun, &pmm->jumps.on);
	mmap_read_unlock(mm);
}

/**
 * jumps_erase() - put breakpoints back where jumps are
 * @pmm: the probed mm, in use
 * @leaves: whether to erase a jump
 * @data: passed to it
 *
 * Context: may sleep, but does not allocate; the mmap lock held for writing, or for reading with
 * probed_mm::lock held.
 */
void jumps_erase(struct probed_mm *pmm, bool (*leaves)(const struct jump *jump, const void *data),
		 const void *data)
{
	struct jump *jump, *next;
	LIST_HEAD(leaving);

	list_for_each_entry_safe(jump, next, &pmm->jumps.on, in_pmm) {
		if (!leaves(jump, data))
			continue;
		/* If the text has changed, somebody has overwritten the jump. */
		if (text_jumps(jump))
			list_move_tail(&jump->in_pmm, &leaving);
		else
			jump_end(pmm, jump);
	}
	if (list_empty(&leaving))
		return;
	jumps_store(pmm->mm, &leaving, HEAD_GONE);
	jumps_store(pmm->mm, &leaving, TAIL_GONE);
	jumps_store(pmm->mm, &leaving, FENCE_GONE);
	list_for_each_entry_safe(jump, next, &leaving, in_pmm)
		jump_end(pmm, jump);
}

/**
 * jumps_drop() - forget the jumps of an address space that has ended
 * @pmm: its probed mm
 *
 * Context: may sleep; probed_mm::lock held.
 */
void jumps_drop(struct probed_mm *pmm)
{
	struct jump *jump, *next;

	list_for_each_entry_safe(jump, next, &pmm->jumps.on, in_pmm)
		jump_end(pmm, jump);
}

/**
 * jumps_show_text() - replace jumps by the original bytes in a copy of text
 * @pmm: the probed mm
 * @addr: address of the text
 * @text: the copy
 * @len: its length
 *
 * Context: any; an RCU read side, or probed_mm::lock held.
 */
void jumps_show_text(const struct probed_mm *pmm, unsigned long addr, u8 *text, size_t len)
{
	unsigned long at;
	unsigned int i;

	if (!READ_ONCE(pmm->pads.nr))
		return;
	rcu_read_lock();
	for (at = addr - (PUN_LEN - 1); at != addr + len; at++) {
		const struct site *site = site_find(pmm->mm, at);
		/* Pairs with jump_make(). */
		const struct jump *jump = site ? smp_load_acquire(&site->jumps) : NULL;

		/* While the site is armed, the original text is there if no jump is. */
		if (jump && READ_ONCE(site->state) != SITE_ARMED)
			jump = NULL;
		for (i = 0; jump && i < PUN_LEN; i++) {
			if (at + i - addr < len)
				text[at + i - addr] = jump->pad.pun.text[i];
		}
	}
	rcu_read_unlock();
}
