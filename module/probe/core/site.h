/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The site: one probed address of one probed mm.  The return trampoline is a site, too.
 */
#ifndef _UPROBES_SITE_H
#define _UPROBES_SITE_H

#include "pmm_types.h"

/* Get the jump of a site that is in the text, or NULL.  Context: any. */
static inline struct jump *site_jump(const struct site *site)
{
	/* Pairs with jump_make(). */
	struct jump *jump = smp_load_acquire(&site->jumps);

	while (jump && !READ_ONCE(jump->on))
		jump = jump->older;
	return jump;
}

/* Get the jump of a site whose pad contains an address, or NULL.  Context: any. */
static inline struct jump *site_pad_at(const struct site *site, unsigned long addr)
{
	/* Pairs with jump_make(). */
	struct jump *jump = smp_load_acquire(&site->jumps);

	while (jump && addr - jump->at >= jump->len)
		jump = jump->older;
	return jump;
}

/* Get the address of the slot of a site that has one.  Context: any. */
static inline unsigned long site_slot(const struct site *site)
{
	return site->key.addr + site->slot;
}

/* The last number of a removal.  Later removals get the same number. */
#define REMOVALS_MAX		U32_MAX

/* Mark a site idle, after its breakpoint was removed.  Context: probed_mm::lock held. */
static inline void site_set_idle(struct site *site)
{
	struct probed_mm *pmm = site->pmm;

	if (pmm->sites.removals != REMOVALS_MAX)
		WRITE_ONCE(pmm->sites.removals, pmm->sites.removals + 1);
	site->idle_since = pmm->sites.removals;
	WRITE_ONCE(site->state, SITE_IDLE);
}

#endif /* _UPROBES_SITE_H */
