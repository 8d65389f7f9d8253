// SPDX-License-Identifier: GPL-2.0
/*
 * Events of an address space: a range is unmapped, moved or protected; the address space ends.
 */
#include <linux/mmu_notifier.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "mmu.h"
#include "arch.h"
#include "foreign.h"
#include "map_events.h"
#include "ssol.h"
#include "attach/attach.h"
#include "attach/fork.h"
#include "attach/ref_ctr.h"
#include "base/compat.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_tree.h"
#include "jump/cpu_counters.h"
#include "jump/jump.h"
#include "jump/pad_area.h"
#include "jump/ring.h"
#include "jump/timing.h"
#include "uret/calls.h"
#include "uret/calls_walk.h"
#include "uret/return_word.h"

/*
 * Erase jumps before the current task copies, moves or protects their text.  A jump is not where it
 * was at another address, and the program must not write to it.
 */
static void mmu_erase_jumps(struct probed_mm *pmm, const struct mmu_notifier_range *range)
{
	unsigned long start, end;

	if (!READ_ONCE(pmm->jumps.nr) || !mmu_notifier_range_blockable(range) ||
	    !compat_mmap_written(pmm->mm))
		return;
	/* If the program begins to use protection keys, its pads work no more. */
	if (range->event == MMU_NOTIFY_PROTECTION_PAGE || !arch_pads_work(pmm->mm))
		jumps_erase_range(pmm, 0, ULONG_MAX);
	else if (range->event == MMU_NOTIFY_PROTECTION_VMA ||
		 (range->event == MMU_NOTIFY_UNMAP &&
		  arch_mremap_moves(task_pt_regs(current), &start, &end)))
		jumps_erase_range(pmm, range->start, range->end);
}

/*
 * Handle a range that is about to be unmapped: its breakpoints and reference counters are lost.
 * If the range is about to be write-protected, the task may be copying its address space.
 */
static void mmu_invalidate(struct probed_mm *pmm, const struct mmu_notifier_range *range)
{
	bool ours = current->mm == pmm->mm && !(current->flags & PF_KTHREAD);
	unsigned long start = 0, end = 0;
	bool moves, lost = false;
	struct site *site;

	if (ours)
		mmu_erase_jumps(pmm, range);
	if (range->event == MMU_NOTIFY_PROTECTION_PAGE && ours && compat_mmap_written(pmm->mm))
		pmm_copy_begins(pmm, range->start);
	if (range->event != MMU_NOTIFY_UNMAP)
		return;
	moves = ours && arch_mremap_moves(task_pt_regs(current), &start, &end);
	/* Keep the calls on a stack that mremap() moves: the stack may come back. */
	if (!moves && calls_there(&pmm->uret.calls) && mmu_notifier_range_blockable(range))
		calls_unmapped(&pmm->uret.calls, range->start, range->end);
	spin_lock(&pmm->sites.lock);
	for (site = pmm_first_site(pmm, range->start);
	     site && site->key.addr < range->end; site = pmm_next_site(site)) {
		if (site->kind == SITE_PROBE && site->state == SITE_ARMED) {
			WRITE_ONCE(site->state, SITE_LOST);
			site->moves = moves && site->key.addr >= start && site->key.addr < end;
		}
		lost |= site->state == SITE_LOST;
	}
	lost |= ref_ctrs_lost(pmm, range->start, range->end, start, moves ? end : start);
	spin_unlock(&pmm->sites.lock);
	if (lost && moves)
		task_moves_text(pmm);
}

/*
 * Note that text with breakpoints may change from now on, or may have lost them, if its protection
 * has changed, or its pages were dropped.  Of an instruction that reaches into another page, that
 * may also have happened to its end alone.
 */
static void mmu_text_unsure(struct probed_mm *pmm, const struct mmu_notifier_range *range)
{
	unsigned long reach = min(range->start, UINSN_MAX_LEN - 1UL);
	struct site *site;

	/* To write a breakpoint copies a page, and keeps what is in it. */
	if (READ_ONCE(pmm->text.unsure) || READ_ONCE(pmm->text.editor) == current)
		return;
	spin_lock(&pmm->sites.lock);
	for (site = pmm_first_site(pmm, range->start - reach);
	     site && site->key.addr < range->end; site = pmm_next_site(site)) {
		/* A breakpoint may be about to be written to a page that was dropped just now. */
		if (site->kind == SITE_PROBE &&
		    (READ_ONCE(site->state) == SITE_ARMED || range->event == MMU_NOTIFY_CLEAR) &&
		    site->key.addr + ssol_len(site->plan) > range->start) {
			WRITE_ONCE(pmm->text.unsure, true);
			break;
		}
	}
	spin_unlock(&pmm->sites.lock);
}

/* Handle a range that has been unmapped, or whose protection or pages have changed. */
static void mmu_invalidated(struct probed_mm *pmm, const struct mmu_notifier_range *range)
{
	if (range->event == MMU_NOTIFY_UNMAP || range->event == MMU_NOTIFY_CLEAR ||
	    range->event == MMU_NOTIFY_PROTECTION_VMA)
		mmu_text_unsure(pmm, range);
	if (calls_there(&pmm->uret.calls) && (range->event == MMU_NOTIFY_UNMAP ||
					      range->event == MMU_NOTIFY_PROTECTION_VMA))
		return_words_prune(pmm, range->start, range->end);
}

static void mmu_init(struct probed_mm *pmm)
{
	calls_init(&pmm->uret.calls);
	return_words_init(&pmm->uret.words);
	foreign_init_rearm(pmm);
	jumps_init(pmm);
}

static void mmu_free(struct probed_mm *pmm)
{
	calls_end(&pmm->uret.calls);
	ring_free(pmm);
	timing_free(pmm);
	pads_free(pmm);
	cpu_counters_free(pmm);
}

const struct probed_mm_ops mmu_pmm_ops = {
	.init = mmu_init,
	.invalidate = mmu_invalidate,
	.invalidated = mmu_invalidated,
	.release = ring_flush,
	.reap = pmm_detach_all,
	.forget = ref_ctrs_free,
	.free = mmu_free,
};
