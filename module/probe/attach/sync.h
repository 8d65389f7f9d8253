/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sync: the last step of attaching, detaching, enabling and disabling.
 */
#ifndef _UPROBES_SYNC_H
#define _UPROBES_SYNC_H

#include "text/breakpoint.h"
#include "core/probed_mm.h"

struct consumer_set *site_set(struct site *site);
void site_publish(struct site *site, struct consumer_set *set);
struct site *site_at(struct probed_mm *pmm, unsigned long addr);
struct text_edit site_edit(struct site *site);
int pmm_sync(struct probed_mm *pmm, struct site **sites, unsigned int n, bool in_use,
	     bool must);

#endif /* _UPROBES_SYNC_H */
