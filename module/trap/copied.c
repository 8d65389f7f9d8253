// SPDX-License-Identifier: GPL-2.0
/*
 * Breakpoints in copies that a program has made of its probed text.
 *
 * A program that copies its text to memory of its own copies our breakpoints along, where
 * no site is.  When it executes one of these, and nobody else knows it, the kernel is about to
 * send SIGTRAP.  The task looks for the copied text among its sites then, puts the original
 * byte back into the copy, and executes it.
 *
 * The task does all of that itself, on its way to user mode, with memory of its own only.
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
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "core/task.h"
#include "text/breakpoint.h"
#include "text/read.h"

/* So many bytes on both sides of a breakpoint are compared. */
#define AROUND		24
/*
 * So many next to it have to be the same: at the ends of a copy those on one side. Breakpoints,
 * which text is padded with, do not count.
 */
#define AROUND_LEAST	20

/**
 * struct window - the text around an address
 * @bytes: the one at the address is number AROUND
 * @from: the first one that could be read
 * @to: behind the last one
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
	/* Where nothing is in front of its page, as much as is in it. */
	if (text_reader_read(reader, addr - before, w->bytes, before) != before) {
		before = min_t(unsigned int, before, offset_in_page(addr));
		got = text_reader_read(reader, addr - before, w->bytes + AROUND - before, before);
		if (got < 0)
			return got;
	}
	w->from = AROUND - before;
	return 0;
}

/* The byte that a site of ours at @addr stands for, or @there where none is. */
static u8 byte_without(const struct probed_mm *pmm, unsigned long addr, u8 there)
{
	const struct site *site;

	rcu_read_lock();
	site = site_find(pmm->mm, addr);
	if (site && site->kind == SITE_PROBE)
		there = site->plan.text[0];
	rcu_read_unlock();
	return there;
}

/*
 * Whether a byte is the same in both. Breakpoints of ours may be in either, whenever the copy
 * was made.
 */
static bool same_byte(const struct site *site, const struct window *text,
		      const struct window *copy, unsigned int i, unsigned int *same)
{
	unsigned long addr = site->key.addr + i - AROUND;
	u8 there = copy->bytes[i], want = text->bytes[i];

	if (want == ARCH_BREAKPOINT)
		want = byte_without(site->pmm, addr, want);
	if (there == ARCH_BREAKPOINT)
		there = byte_without(site->pmm, addr, there);
	if (there != want)
		return false;
	*same += i != AROUND && there != ARCH_BREAKPOINT;
	return true;
}

/* Whether @copy is what is around a site, which @reader reads. */
static bool copied_from(struct text_reader *reader, const struct site *site,
			const struct window *copy)
{
	unsigned int len = min_t(unsigned int, ssol_len(&site->plan), copy->to - AROUND);
	unsigned int i, same = 0;
	struct window text;

	if (!text_same(copy->bytes + AROUND + 1, site->plan.text + 1, len - 1) ||
	    window_read(reader, site->key.addr, &text))
		return false;
	for (i = AROUND; i < min(copy->to, text.to); i++) {
		if (!same_byte(site, &text, copy, i, &same))
			break;
	}
	if (i == AROUND)
		return false;
	for (i = AROUND; i > max(copy->from, text.from); i--) {
		if (!same_byte(site, &text, copy, i - 1, &same))
			break;
	}
	return same >= AROUND_LEAST;
}

static struct site *site_from(struct probed_mm *pmm, unsigned long addr)
{
	struct site *site;

	spin_lock(&pmm->sites.lock);
	site = pmm_first_site(pmm, addr);
	spin_unlock(&pmm->sites.lock);
	return site;
}

/*
 * The site of which there is a copy at @addr, or NULL. Most often it is the one as far away as
 * the last one was. Sites stay as long as the image does.
 */
static const struct site *copied_site(struct probed_mm *pmm, unsigned long addr)
{
	struct text_reader reader = { .mm = pmm->mm };
	const struct site *found = NULL;
	struct window copy;
	struct site *site;

	if (window_read(&reader, addr, &copy) || copy.bytes[AROUND] != ARCH_BREAKPOINT)
		goto out;
	site = site_from(pmm, addr - READ_ONCE(pmm->text.copied_by));
	if (site && site->key.addr + READ_ONCE(pmm->text.copied_by) != addr)
		site = NULL;
	if (site && site->kind == SITE_PROBE && copied_from(&reader, site, &copy)) {
		found = site;
		goto out;
	}
	for (site = site_from(pmm, 0); site && !fatal_signal_pending(current);
	     site = site_from(pmm, site->key.addr + 1)) {
		if (site->kind == SITE_PROBE && copied_from(&reader, site, &copy)) {
			WRITE_ONCE(pmm->text.copied_by, addr - site->key.addr);
			found = site;
			break;
		}
		cond_resched();
	}
out:
	text_reader_end(&reader);
	return found;
}

/*
 * Memory that no file is behind. In a file's text a breakpoint that is not ours is a debugger's
 * or the kernel's, and what is around it may well be like what is around one of ours.
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

/* Puts the original byte back. False where the breakpoint is none of ours. */
static bool copied_heal(struct probed_mm *pmm, unsigned long addr)
{
	const struct site *site;
	struct text_edit edit;

	if (!may_be_copy(pmm->mm, addr))
		return false;
	site = copied_site(pmm, addr);
	if (!site || mutex_lock_killable(&pmm->lock))
		return false;
	edit = (struct text_edit) {
		.addr = addr,
		.text = site->plan.text,
		.len = ssol_len(&site->plan),
		.fixed = ssol_fixed_len(&site->plan),
	};
	/* It may have been probed meanwhile: then the breakpoint is that of a site. */
	site = site_from(pmm, addr);
	if (site && site->key.addr == addr)
		edit.result = 0;
	else
		breakpoints_remove(pmm->mm, &edit, 1);
	mutex_unlock(&pmm->lock);
	/* Another thread may have been faster; without memory it is tried again. */
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
 * copied_trap() - the current task is about to be sent a SIGTRAP for a breakpoint
 * @regs: its user registers, behind the breakpoint, where no site is
 *
 * If there may be one of ours, the task looks before it goes on, and executes what is there
 * then.  A breakpoint that is none of ours traps once more, and is passed on that time.
 *
 * Context: RCU read side; any.
 * Return: whether it is not to be sent now.
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
