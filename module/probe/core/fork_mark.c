// SPDX-License-Identifier: GPL-2.0
/*
 * Find out whether a fork is copying an address space.
 */
#include "fork_mark.h"
#include "probed_mm.h"
#include "task.h"

/**
 * struct copies - a search for a fork that copies an address space
 * @mm: the address space
 * @found: a task is copying it, or has copied it and has not reported its fork yet
 */
struct copies {
	const struct mm_struct *mm;
	bool found;
};

static void copies_look(struct utask *utask, void *data)
{
	struct copies *copies = data;

	if (utask->mm == copies->mm && READ_ONCE(utask->fork.mark.ref_changes))
		copies->found = true;
}

/**
 * pmm_is_forking() - check for forked children that the module has not handled yet
 * @pmm: probed mm of the parent
 *
 * A fork does not count if it takes the mmap lock after the caller has released it.
 *
 * Context: any.
 */
bool pmm_is_forking(struct probed_mm *pmm)
{
	struct copies copies = { .mm = pmm->mm };

	utask_for_each(copies_look, &copies);
	/* Pairs with pmm_fork_begins(), which counts the fork before it clears the mark. */
	smp_rmb();
	return copies.found || atomic_read(&pmm->life.forks) > !READ_ONCE(pmm->life.dead);
}
