// SPDX-License-Identifier: GPL-2.0
/*
 * Whether an address space is being copied.
 */
#include "fork_mark.h"
#include "probed_mm.h"
#include "task.h"

/**
 * struct copies - whether an address space is being copied
 * @mm: the address space
 * @found: it is, or has been and the fork has not been reported yet
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
 * pmm_is_forking() - whether there may be children that have not been looked after
 * @pmm: image of the parent
 *
 * Those that are copied with the mmap lock taken later than the caller has had it do not
 * count.
 *
 * Context: any.
 */
bool pmm_is_forking(struct probed_mm *pmm)
{
	struct copies copies = { .mm = pmm->mm };

	utask_for_each(copies_look, &copies);
	/* In the order that pmm_fork_begins() has. */
	smp_rmb();
	return copies.found || atomic_read(&pmm->life.forks) > !READ_ONCE(pmm->life.dead);
}
