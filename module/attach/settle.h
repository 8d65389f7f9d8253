/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last step of attaching, detaching, enabling and disabling.
 */
#ifndef _UPROBES_SETTLE_H
#define _UPROBES_SETTLE_H

#include "text/breakpoint.h"
#include "core/image.h"

struct consumer_set *site_set(struct site *site);
void site_publish(struct site *site, struct consumer_set *set);
struct site *site_at(struct image *image, unsigned long addr);
struct text_edit site_edit(struct site *site);
int image_settle(struct image *image, struct site **sites, unsigned int n, bool in_use,
		 bool must);

#endif /* _UPROBES_SETTLE_H */
