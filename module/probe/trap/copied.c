// SPDX-License-Identifier: GPL-2.0
/*
 * Breakpoints in copies that a program has made of its probed text.
 *
 * A program that copies its text to anonymous memory copies our breakpoints, too, but no site
 * is at the new address.  If the program executes such a breakpoint and no other owner claims
 * the trap, the kernel is about to send SIGTRAP.  The task then searches its sites for the text
 * that was copied, restores the original byte in the copy, and executes the instruction there.
 *
 * The task does all of that itself on its way to user mode, with memory of its own only.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#include "copied.h"
#include "arch.h"
#include "ssol.h"
#include "core/plan.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "core/task.h"
#include "jump/jump_text.h"
#include "text/breakpoint.h"
#include "text/read.h"

/* Number of bytes that are compared on each side of a breakpoint. */
#define AROUND		24
/*
 * Number of bytes next to the breakpoint that have to match.  At an end of the copy, all of them
 * lie on one side.  Breakpoints do not count, because text is padded with them.
 */
#define AROUND_LEAST	20

/**
 * struct window - the text around an address
 * @bytes: the text; the byte at the address has index AROUND
 * @from: index of the first byte that could be read
 * @to: index behind the last byte that could be read
 */
struct window {
	u8 bytes[2 * AROUND];
	unsigned int from;
	unsigned int to;
};

static int window_read(struct text_reader *reader, unsigned long addr, struct window *w)
{
	unsigned int before = AROUND;
	int got;

	got = text_reader_read(reader, addr, w->bytes + AROUND, AROUND);
	if (got < 0)
		return got;
	w->to = AROUND + got;
	/* If the page before cannot be read, read from the start of this page. */
	if (text_reader_read(reader, addr - before, w->bytes, before) != before) {
		before = min_t(unsigned int, before, offset_in_page(addr));
		got = text_reader_read(reader, addr - before, w->bytes + AROUND - before, before);
		if (got < 0)
			return got;
	}
	w->from = AROUND - before;
	return 0;
}

/* Return the original byte of the site at @addr, or @there if no site is there. */
static u8 byte_without(const struct probed_mm *pmm, unsigned long addr, u8 there)
{
	const struct site *site;

	rcu_read_lock();
	site = site_find(pmm->mm, addr);
	if (site && site->kind == SITE_PROBE)
		there = site->plan->text[0];
	rcu_read_unlock();
	return there;
}

/**
 * struct original - an instruction that is probed, or was, and may have been copied
 * @pmm: its probed mm
 * @addr: its address
 * @plan: its plan, with a reference, or NULL
 */
struct original {
	struct probed_mm *pmm;
	unsigned long addr;
	const struct ssol_plan *plan;
};

/*
 * Check whether a byte is the same in the text and in the copy.  Either may hold breakpoints of
 * ours, no matter when the copy was made.
 */
static bool same_byte(const struct original *from, const struct window *text,
		      const struct window *copy, unsigned int i, unsigned int *same)
{
	unsigned long addr = from->addr + i - AROUND;
	u8 there = copy->bytes[i], want = text->bytes[i];

	if (want == ARCH_BREAKPOINT)
		want = byte_without(from->pmm, addr, want);
	if (there == ARCH_BREAKPOINT)
		there = byte_without(from->pmm, addr, there);
	if (there != want)
		return false;
	*same += i != AROUND && there != ARCH_BREAKPOINT;
	return true;
}

/* Check whether @copy matches the text around an instruction, which @reader reads. */
static bool copied_from(struct text_reader *reader, const struct original *from,
			const struct window *copy)
{
	unsigned int len = min_t(unsigned int, ssol_len(from->plan), copy->to - AROUND);
	unsigned int i, same = 0;
	struct window text;

	if (!text_same(copy->bytes + AROUND + 1, from->plan->text + 1, len - 1) ||
	    window_read(reader, from->addr, &text))
		return false;
	jumps_show_text(from->pmm, from->addr + text.from - AROUND, text.bytes + text.from,
			text.to - text.from);
	for (i = AROUND; i < min(copy->to, text.to); i++) {
		if (!same_byte(from, &text, copy, i, &same))
			break;
	}
	if (i == AROUND)
		return false;
	for (i = AROUND; i > max(copy->from, text.from); i--) {
		if (!same_byte(from, &text, copy, i - 1, &same))
			break;
	}
	return same >= AROUND_LEAST;
}

/* Go to the first instruction with a site from an address on.  Return false if there is none. */
static bool original_from(struct original *from, unsigned long addr)
{
	struct probed_mm *pmm = from->pmm;
	struct site *site;

	plan_put(from->plan);
	spin_lock(&pmm->sites.lock);
	site = pmm_first_site(pmm, addr);
	while (site && site->kind != SITE_PROBE)
		site = pmm_next_site(site);
	from->addr = site ? site->key.addr : 0;
	from->plan = site ? plan_get(site->plan) : NULL;
	spin_unlock(&pmm->sites.lock);
	return site;
}

/*
 * Find the instruction that was copied to @addr.  The distance between the two is most often the
 * same as for the last copy: try that one first.
 */
static bool original_find(struct original *from, unsigned long addr)
{
	struct probed_mm *pmm = from->pmm;
	struct text_reader reader = { .mm = pmm->mm };
	unsigned long next = 0;
	struct window copy;
	bool found = false;

	if (window_read(&reader, addr, &copy) || copy.bytes[AROUND] != ARCH_BREAKPOINT)
		goto out;
	found = original_from(from, addr - READ_ONCE(pmm->text.copied_by)) &&
		from->addr + READ_ONCE(pmm->text.copied_by) == addr &&
		copied_from(&reader, from, &copy);
	if (found)
		goto out;
	while (!found && original_from(from, next) && !fatal_signal_pending(current)) {
		found = copied_from(&reader, from, &copy);
		if (found)
			WRITE_ONCE(pmm->text.copied_by, addr - from->addr);
		next = from->addr + 1;
		cond_resched();
	}
out:
	text_reader_end(&reader);
	return found;
}

/*
 * Check whether @addr lies in anonymous memory, where text may be a copy.  In the text of a
 * file, a breakpoint that is not ours belongs to a debugger or to the kernel's uprobes.  The
 * text around it may well resemble the text around one of ours.
 */
static bool may_be_copy(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;
	bool may;

	if (mmap_read_lock_killable(mm))
		return false;
	vma = find_vma(mm, addr);
	may = vma && vma->vm_start <= addr && text_probeable(vma) && !vma->vm_file &&
	      vma_is_anonymous(vma);
	mmap_read_unlock(mm);
	return may;
}

/* Restore the original byte.  Return false if the breakpoint is not a copy of ours. */
static bool copied_heal(struct probed_mm *pmm, unsigned long addr)
{
	struct original from = { .pmm = pmm };
	struct text_edit edit = { .addr = addr, .result = -EINTR };
	const struct site *site;

	if (!may_be_copy(pmm->mm, addr))
		return false;
	if (original_find(&from, addr) && !mutex_lock_killable(&pmm->lock)) {
		edit.text = from.plan->text;
		edit.len = ssol_len(from.plan);
		edit.fixed = ssol_fixed_len(from.plan);
		/* If the address has been probed meanwhile, the breakpoint belongs to a site. */
		site = pmm_first_site(pmm, addr);
		if (site && site->key.addr == addr)
			edit.result = 0;
		else
			breakpoints_remove(pmm->mm, &edit, 1);
		mutex_unlock(&pmm->lock);
	}
	plan_put(from.plan);
	/* -ENOENT: another thread was faster.  -ENOMEM: the task tries again at its next trap. */
	return !edit.result || edit.result == -ENOENT || edit.result == -ENOMEM;
}

static void copied_work(struct callback_head *work)
{
	struct utask *utask = container_of(work, struct utask, copied.work);
	struct probed_mm *pmm;

	utask->copied.queued = false;
	if (!utask->exited && current->mm) {
		pmm = pmm_find(current->mm);
		if (pmm) {
			if (copied_heal(pmm, utask->copied.at))
				utask->copied.at = 0;
			pmm_put(pmm);
		}
	}
	utask_work_done(utask);
	task_work_end();
}

/**
 * copied_trap() - look for a copied breakpoint before the kernel sends SIGTRAP
 * @regs: user registers of the current task, ip behind the breakpoint; no site is there
 *
 * If the breakpoint may be a copy of ours, queue work in which the task looks for the site.  The
 * task then executes the text as it is.  If the breakpoint is not a copy of ours, it traps once
 * more, and that trap is passed on.
 *
 * Context: RCU read side; any.
 * Return: true if the kernel must not send the signal now.
 */
bool copied_trap(struct pt_regs *regs)
{
	unsigned long addr = regs->ip - ARCH_BREAKPOINT_LEN;
	struct utask *utask;
	u8 first;

	if (!pmm_lookup(current->mm) ||
	    copy_from_user_nofault(&first, (const void __user *)addr, 1) ||
	    first != ARCH_BREAKPOINT)
		return false;
	utask = utask_get(current);
	if (!utask || utask->copied.queued)
		return false;
	if (utask->copied.at == addr) {
		utask->copied.at = 0;
		return false;
	}
	utask->copied.at = addr;
	utask->copied.queued = true;
	if (task_work_begin(current, &utask->copied.work, copied_work)) {
		utask->copied.queued = false;
		return false;
	}
	regs->ip = addr;
	return true;
}
