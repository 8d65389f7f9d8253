/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sites of an image: their memory, and their order.
 */
#ifndef _UPROBES_SITE_TREE_H
#define _UPROBES_SITE_TREE_H

#include "site.h"

#define SITE_STOCK		16

/**
 * struct site_stock - memory for sites that are about to be made
 * @wanted: so many more may be
 * @n: how many are there
 * @sites: these
 */
struct site_stock {
	unsigned int wanted;
	unsigned int n;
	void *sites[SITE_STOCK];
};

struct site *image_first_site(struct image *image, unsigned long addr);
struct site *image_next_site(struct site *site);

int sites_init(void);
void sites_exit(void);
struct site *site_alloc(struct image *image, unsigned long addr, enum site_kind kind,
			struct site_stock *stock);
void site_stock_end(struct site_stock *stock);
int site_add(struct site *site);
int site_add_between(struct site *site, struct site *prev, struct site *next);
void site_free(struct site *site);
void site_supersede(struct site *site);
void sites_forget(struct image *image);
void sites_free(struct image *image);

#endif /* _UPROBES_SITE_TREE_H */
