/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sites of a probed mm: their memory, and their order by address.
 */
#ifndef _UPROBES_SITE_TREE_H
#define _UPROBES_SITE_TREE_H

#include "pmm_types.h"

/*
 * Read-locked by those who keep a site that may lose its consumers, and do not hold
 * probed_mm::lock.  Taken before that.
 */
extern struct rw_semaphore sites_kept;

struct site *pmm_first_site(struct probed_mm *pmm, unsigned long addr);
struct site *pmm_next_site(struct site *site);
struct site *pmm_prev_site(struct site *site);

int sites_init(void);
void sites_exit(void);
struct site *site_alloc(struct probed_mm *pmm, unsigned long addr, enum site_kind kind,
			struct site_stock *stock);
void site_stock_end(struct site_stock *stock);
int site_add(struct site *site);
int site_alloc_pad(struct jump *jump);
void site_add_pad(struct jump *jump);
void site_del_pad(struct jump *jump);
int site_add_between(struct site *site, struct site *prev, struct site *next);
void site_free(struct site *site);
int site_replace(struct site *old, struct site *site);
void sites_remove(struct probed_mm *pmm);
void site_del(struct site *site);
void sites_free(struct site *list);

#endif /* _UPROBES_SITE_TREE_H */
