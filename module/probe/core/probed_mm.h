/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probed mm: one probed address space, with its sites and its SSOL areas.
 *
 * A probed mm is created with the first probe of an address space.  It ends when the address space
 * loses its last user (the mmu notifier's release), or when the module is unloaded.  It holds
 * mm_count (through its mmu notifier), never mm_users: it must not keep a process alive.
 *
 * A site that is not probed any more stays for some seconds, or longer, as a record of a former
 * breakpoint: a trap may be in flight, and a forked child may have the breakpoint in its text.  The
 * slot of the site stays, too.  Both are used if the address is probed again (attach/reclaim.c).
 */
#ifndef _UPROBES_PROBED_MM_H
#define _UPROBES_PROBED_MM_H

#include "pmm_types.h"

/* Check whether all unwinders of an address space have been looked for.  Context: any. */
static __always_inline bool unwinder_known(const struct probed_mm *pmm)
{
	/* Pairs with seek(). */
	return smp_load_acquire(&pmm->unwinders.watched) == WATCH_DONE;
}

int pmm_init(const struct probed_mm_ops *ops);
void pmm_exit(void);

bool pmm_for_each(bool (*fn)(struct probed_mm *pmm, void *data), void *data);
struct probed_mm *pmm_get(struct mm_struct *mm);
struct probed_mm *pmm_find(struct mm_struct *mm);
struct probed_mm *pmm_lookup(struct mm_struct *mm);
void pmm_put(struct probed_mm *pmm);
void pmm_queue(struct probed_mm *pmm, struct work_struct *work);
void pmm_queue_delayed(struct delayed_work *work, unsigned long delay);
void pmm_put_not_last(struct probed_mm *pmm);
void pmm_fork_put(struct probed_mm *pmm);

#endif /* _UPROBES_PROBED_MM_H */
