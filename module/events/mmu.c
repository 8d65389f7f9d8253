// SPDX-License-Identifier: GPL-2.0
/*
 * The events of an address space: what is unmapped, moved or protected, and its end.
 */
#include <linux/mmu_notifier.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "mmu.h"
#include "arch.h"
#include "foreign.h"
#include "lifecycle.h"
#include "attach/attach.h"
#include "attach/inherit.h"
#include "attach/ref_ctr.h"
#include "base/compat.h"
#include "core/image.h"
#include "core/site.h"
#include "core/site_tree.h"
#include "uret/calls.h"
#include "uret/calls_walk.h"
#include "uret/retprobe_word.h"

/* The mapping goes, and the breakpoints in it. */
static void mmu_invalidate(struct image *image, const struct mmu_notifier_range *range)
{
	bool ours = current->mm == image->mm && !(current->flags & PF_KTHREAD);
	unsigned long start = 0, end = 0;
	bool moves, lost = false;
	struct site *site;

	if (range->event == MMU_NOTIFY_PROTECTION_PAGE && ours && compat_mmap_written(image->mm))
		image_copy_begins(image, range->start);
	if (range->event != MMU_NOTIFY_UNMAP)
		return;
	moves = ours && arch_mremap_moves(task_pt_regs(current), &start, &end);
	/* What moves away may come back. */
	if (!moves && calls_there(&image->calls) && mmu_notifier_range_blockable(range))
		calls_unmapped(&image->calls, range->start, range->end);
	spin_lock(&image->tree_lock);
	for (site = image_first_site(image, range->start);
	     site && site->key.addr < range->end; site = image_next_site(site)) {
		if (site->kind == SITE_PROBE && site->state == SITE_ARMED) {
			WRITE_ONCE(site->state, SITE_LOST);
			site->moves = moves && site->key.addr >= start && site->key.addr < end;
		}
		lost |= site->state == SITE_LOST;
	}
	lost |= ref_ctrs_lost(image, range->start, range->end, start, moves ? end : start);
	spin_unlock(&image->tree_lock);
	if (lost && moves)
		lifecycle_moves(image);
}

/* It has gone, or changed its protection. */
static void mmu_invalidated(struct image *image, const struct mmu_notifier_range *range)
{
	if (calls_there(&image->calls) && (range->event == MMU_NOTIFY_UNMAP ||
					   range->event == MMU_NOTIFY_PROTECTION_VMA))
		return_words_forget(image, range->start, range->end);
}

static void mmu_init(struct image *image)
{
	calls_init(&image->calls);
	return_words_init(&image->returns);
	foreign_rearm(image);
}

static void mmu_free(struct image *image)
{
	calls_end(&image->calls);
}

const struct image_ops mmu_image_ops = {
	.init = mmu_init,
	.invalidate = mmu_invalidate,
	.invalidated = mmu_invalidated,
	.reap = image_reap,
	.forget = ref_ctrs_purge,
	.free = mmu_free,
};
