// SPDX-License-Identifier: GPL-2.0
/*
 * The sites of an image: their memory, and their order.
 */
#include <linux/rbtree.h>
#include <linux/slab.h>

#include "site_tree.h"
#include "arch.h"
#include "probed_mm.h"
#include "site.h"
#include "site_table.h"
#include "slots.h"
#include "ssol.h"

static struct kmem_cache *site_cache;

/* What a hit needs, worked out ahead. */
static void site_set_hot(struct site *site)
{
	site->resume = ssol_is_skip(&site->plan) ? site->key.addr + ssol_len(&site->plan) :
						   site->slot;
	site->slow_path = site->kind != SITE_PROBE || site->step ||
		    site->pmm->mode != UINSN_MODE_64 ||
		    (site->plan.pushes_return && arch_stacks_fixable());
}

/*
 * What a program's mappings take is charged to it.  Where it may have no more, it is left
 * unprobed, and not killed for this.
 */
#define SITE_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Memory for several at a time takes less than for each. */
static struct site *stock_take(struct site_stock *stock)
{
	unsigned int n = min_t(unsigned int, stock->wanted, SITE_STOCK);

	if (!stock->n && n > 1 &&
	    kmem_cache_alloc_bulk(site_cache, SITE_GFP, n, stock->sites))
		stock->n = n;
	if (!stock->n)
		return NULL;
	stock->wanted--;
	return stock->sites[--stock->n];
}

/**
 * site_stock_end() - give back what has not been taken
 * @stock: the stock; empty afterwards
 *
 * Context: any but NMI.
 */
void site_stock_end(struct site_stock *stock)
{
	if (stock->n)
		kmem_cache_free_bulk(site_cache, stock->n, stock->sites);
	stock->n = 0;
}

/**
 * site_alloc() - memory for a site
 * @pmm: its image
 * @addr: where it is
 * @kind: what it is
 * @stock: where to take it from if others follow, or NULL
 *
 * Context: may sleep.
 * Return: an idle site without a slot, or NULL.
 */
struct site *site_alloc(struct probed_mm *pmm, unsigned long addr, enum site_kind kind,
			struct site_stock *stock)
{
	struct site *site = stock ? stock_take(stock) : NULL;

	if (!site)
		site = kmem_cache_alloc(site_cache, SITE_GFP);
	if (!site)
		return NULL;
	*site = (struct site) {
		.key = { .mm = pmm->mm, .addr = addr },
		.pmm = pmm,
		.state = SITE_IDLE,
		.kind = kind,
	};
	INIT_LIST_HEAD(&site->attachments);
	return site;
}

/* Frees a site that has not been added. */
void site_free(struct site *site)
{
	kmem_cache_free(site_cache, site);
}

/*
 * Links a site into the tree between @prev and @next, which are next to each other; NULL
 * where nothing is, or where @prev is not known.
 */
static void tree_link(struct probed_mm *pmm, struct site *site, struct site *prev,
		      struct site *next)
{
	struct rb_node *parent, **link;

	if (prev && !prev->in_tree.rb_right) {
		parent = &prev->in_tree;
		link = &parent->rb_right;
	} else if (!next) {
		parent = rb_last(&pmm->sites.tree);
		link = parent ? &parent->rb_right : &pmm->sites.tree.rb_node;
	} else if (!next->in_tree.rb_left) {
		parent = &next->in_tree;
		link = &parent->rb_left;
	} else {
		/* Where there is a left side, its last one has no right side. */
		parent = rb_prev(&next->in_tree);
		link = &parent->rb_right;
	}
	rb_link_node(&site->in_tree, parent, link);
	rb_insert_color(&site->in_tree, &pmm->sites.tree);
}

/**
 * site_add_between() - let traps find a site, and list it in its image
 * @site: the site; complete
 * @prev: the last site of the image before it; NULL where there is none, or not known
 * @next: the first one behind it, or NULL
 *
 * Context: probed_mm::lock held; may sleep.
 * Return: 0 or -ENOMEM.
 */
int site_add_between(struct site *site, struct site *prev, struct site *next)
{
	struct probed_mm *pmm = site->pmm;
	int ret;

	lockdep_assert_held(&pmm->lock);
	site_set_hot(site);
	if (site->kind == SITE_PROBE) {
		ret = slot_add(site);
		if (ret)
			return ret;
	}
	site_table_add(site);

	spin_lock(&pmm->sites.lock);
	tree_link(pmm, site, prev, next);
	spin_unlock(&pmm->sites.lock);
	return 0;
}

/* The same where the caller does not know what is around it. */
int site_add(struct site *site)
{
	return site_add_between(site, NULL, pmm_first_site(site->pmm, site->key.addr));
}

/* From the tree, which it has left or which is no more, to those that only a hit may know. */
static void site_retire(struct site *site)
{
	struct probed_mm *pmm = site->pmm;

	site->older = pmm->sites.replaced;
	pmm->sites.replaced = site;
}

/**
 * site_replace() - forget a site whose text is another now
 * @site: an idle site without consumers
 *
 * Traps find it no more.  The memory stays with the image, as a hit may still
 * be on its way through it, and so does its slot.
 *
 * Context: probed_mm::lock held.
 */
void site_replace(struct site *site)
{
	struct probed_mm *pmm = site->pmm;

	lockdep_assert_held(&pmm->lock);
	site_table_del(site);
	spin_lock(&pmm->sites.lock);
	rb_erase(&site->in_tree, &pmm->sites.tree);
	spin_unlock(&pmm->sites.lock);
	site_retire(site);
}

/**
 * pmm_first_site() - where to start among the sites of an image
 * @pmm: the image
 * @addr: lowest address of interest
 *
 * Context: probed_mm::lock or probed_mm::sites.lock held.
 * Return: the first site at or above @addr, or NULL.
 */
struct site *pmm_first_site(struct probed_mm *pmm, unsigned long addr)
{
	struct rb_node *at = pmm->sites.tree.rb_node;
	struct site *found = NULL;

	while (at) {
		struct site *site = rb_entry(at, struct site, in_tree);

		if (site->key.addr >= addr) {
			found = site;
			at = at->rb_left;
		} else {
			at = at->rb_right;
		}
	}
	return found;
}

struct site *pmm_next_site(struct site *site)
{
	struct rb_node *next = rb_next(&site->in_tree);

	return next ? rb_entry(next, struct site, in_tree) : NULL;
}

/**
 * sites_remove() - no trap and no unmapping finds the sites of an image any more
 * @pmm: the image; nobody else has it, but the notifier and who has looked a site
 *	up under RCU
 *
 * Context: may sleep.
 */
void sites_remove(struct probed_mm *pmm)
{
	struct site *site, *next;
	struct rb_root sites;

	spin_lock(&pmm->sites.lock);
	sites = pmm->sites.tree;
	pmm->sites.tree = RB_ROOT;
	spin_unlock(&pmm->sites.lock);
	rbtree_postorder_for_each_entry_safe(site, next, &sites, in_tree) {
		site_table_del(site);
		site_retire(site);
		cond_resched();
	}
}

/**
 * sites_free() - free the sites of an image
 * @pmm: the image, a grace period after sites_remove()
 *
 * Context: may sleep.
 */
void sites_free(struct probed_mm *pmm)
{
	struct site_stock freed = {};

	while (pmm->sites.replaced) {
		freed.sites[freed.n++] = pmm->sites.replaced;
		pmm->sites.replaced = pmm->sites.replaced->older;
		if (freed.n == SITE_STOCK) {
			site_stock_end(&freed);
			cond_resched();
		}
	}
	site_stock_end(&freed);
}

/* That there is a constructor keeps the kernel from clearing what site_alloc() sets. */
static void site_construct(void *site)
{
}

int sites_init(void)
{
	site_cache = kmem_cache_create("uprobes_site", sizeof(struct site),
				       __alignof__(struct site), SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT,
				       site_construct);
	return site_cache ? 0 : -ENOMEM;
}

void sites_exit(void)
{
	kmem_cache_destroy(site_cache);
}
