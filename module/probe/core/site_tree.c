// SPDX-License-Identifier: GPL-2.0
/*
 * The sites of a probed mm: their memory, and their order by address.
 */
#include <linux/rbtree.h>
#include <linux/slab.h>

#include "site_tree.h"
#include "arch.h"
#include "base/compat.h"
#include "plan.h"
#include "pmm_types.h"
#include "site.h"
#include "site_table.h"
#include "slots.h"
#include "ssol.h"

static struct kmem_cache *site_cache;

DECLARE_RWSEM(sites_kept);

/* Compute in advance what a hit reads. */
static void site_set_hot(struct site *site)
{
	site->resume = ssol_is_skip(site->plan) ? site->key.addr + ssol_len(site->plan) :
						   site_slot(site);
	site->slow_path = site->kind != SITE_PROBE || site->step ||
		    site->pmm->mode != UINSN_MODE_64 ||
		    (site->plan->pushes_return && arch_stacks_fixable());
}

/*
 * The memory for probes in a program's mappings is charged to the program.  At its limit, the
 * program stays unprobed.  __GFP_RETRY_MAYFAIL keeps the kernel from killing it for this.
 */
#define SITE_GFP	(GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Allocate several sites at a time: this is faster than one by one. */
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
 * site_stock_end() - free the objects that were not taken
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
 * site_alloc() - allocate a site
 * @pmm: its probed mm
 * @addr: its address
 * @kind: its kind
 * @stock: stock to take the memory from, if more sites follow, or NULL
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
	site->key = (struct site_key) { .mm = pmm->mm, .addr = addr };
	site->pmm = pmm;
	site->kind = kind;
	site->plan = &plan_none;
	return site;
}

/* Free a site that has not been added. */
void site_free(struct site *site)
{
	plan_put(site->plan);
	kmem_cache_free(site_cache, site);
}

/*
 * Link a site into the tree between @prev and @next, which are neighbours.  @next is NULL if there
 * is no site behind it.  @prev is NULL if there is no site before it, or if that is not known.
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
		/* The last node of a left subtree has no right child. */
		parent = rb_prev(&next->in_tree);
		link = &parent->rb_right;
	}
	rb_link_node(&site->in_tree, parent, link);
	rb_insert_color(&site->in_tree, &pmm->sites.tree);
}

/* Let traps find a site.  Context: probed_mm::lock held; may sleep. */
static int site_list(struct site *site)
{
	int ret;

	site_set_hot(site);
	if (site->kind == SITE_PROBE) {
		ret = slot_add(site);
		if (ret)
			return ret;
	}
	site_table_add(site);
	return 0;
}

/**
 * site_add_between() - let traps find a site, and insert it into its probed mm
 * @site: the site; complete
 * @prev: the last site of the probed mm before it; NULL if there is none, or if it is not known
 * @next: the first site behind it, or NULL
 *
 * Context: probed_mm::lock held; may sleep.
 * Return: 0 or -ENOMEM.
 */
int site_add_between(struct site *site, struct site *prev, struct site *next)
{
	struct probed_mm *pmm = site->pmm;
	int ret;

	lockdep_assert_held(&pmm->lock);
	ret = site_list(site);
	if (ret)
		return ret;
	spin_lock(&pmm->sites.lock);
	tree_link(pmm, site, prev, next);
	spin_unlock(&pmm->sites.lock);
	return 0;
}

/* Add a site as site_add_between() does, for a caller that does not know its neighbours. */
int site_add(struct site *site)
{
	return site_add_between(site, NULL, pmm_first_site(site->pmm, site->key.addr));
}

/**
 * site_alloc_pad() - allocate the site by which traps find the pad of a jump
 * @jump: the jump, which traps
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int site_alloc_pad(struct jump *jump)
{
	jump->trap = site_alloc(jump->site->pmm, 0, SITE_PAD, NULL);
	if (!jump->trap)
		return -ENOMEM;
	jump->trap->slow_path = true;
	jump->trap->state = SITE_ARMED;
	jump->trap->pad_of = jump;
	return 0;
}

/* Let traps find the pad of a jump.  Context: probed_mm::lock held; may sleep. */
void site_add_pad(struct jump *jump)
{
	jump->trap->key.addr = jump->at + jump->parts.trap;
	site_table_add(jump->trap);
}

/* Let traps find the pad of a jump no more.  Context: probed_mm::lock held; may sleep. */
void site_del_pad(struct jump *jump)
{
	if (jump->trap->state == SITE_ARMED)
		site_table_del(jump->trap);
	jump->trap->state = SITE_IDLE;
}

static void pads_del(const struct site *site)
{
	struct jump *jump;

	for (jump = site->jumps; jump; jump = jump->older) {
		if (jump->trap)
			site_del_pad(jump);
	}
}

static void jumps_free(struct site *site)
{
	struct jump *jump;

	while ((jump = site->jumps)) {
		site->jumps = jump->older;
		if (jump->trap)
			site_free(jump->trap);
		kfree(jump);
	}
}

/* List a site that has left the tree: only a hit in flight may still use it. */
static void site_retire(struct site *site)
{
	struct probed_mm *pmm = site->pmm;

	site->older = pmm->sites.replaced;
	pmm->sites.replaced = site;
}

/**
 * site_replace() - let traps find another site instead of one whose text has changed
 * @old: the site
 * @site: the site that takes its place; complete
 *
 * At any time, traps find one of them.  The memory of @old and its slot stay until the probed mm is
 * freed, as a hit of it may still be in flight.
 *
 * Context: probed_mm::lock held; may sleep.
 * Return: 0; or -ENOMEM, and @old stays.
 */
int site_replace(struct site *old, struct site *site)
{
	struct probed_mm *pmm = old->pmm;
	int ret;

	lockdep_assert_held(&pmm->lock);
	ret = site_list(site);
	if (ret)
		return ret;
	site_table_del(old);
	spin_lock(&pmm->sites.lock);
	rb_replace_node(&old->in_tree, &site->in_tree, &pmm->sites.tree);
	spin_unlock(&pmm->sites.lock);
	site_retire(old);
	return 0;
}

/**
 * pmm_first_site() - find the first site from an address on
 * @pmm: the probed mm
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

/* Get the last site before a site, or NULL.  Context: as for pmm_next_site(). */
struct site *pmm_prev_site(struct site *site)
{
	struct rb_node *prev = rb_prev(&site->in_tree);

	return prev ? rb_entry(prev, struct site, in_tree) : NULL;
}

/**
 * sites_remove() - remove all sites of a probed mm, so that no trap and no unmapping finds them
 * @pmm: the probed mm; it is used only by its mmu notifier, and by threads that have looked up a
 *	site under RCU
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
	for (site = pmm->sites.replaced; site; site = site->older) {
		pads_del(site);
		cond_resched();
	}
}

/**
 * site_del() - remove a site, so that nothing finds it any more
 * @site: the site of a slot, without consumers and jumps; no thread will come to its slot
 *
 * Context: probed_mm::lock held; may sleep.
 */
void site_del(struct site *site)
{
	struct probed_mm *pmm = site->pmm;

	lockdep_assert_held(&pmm->lock);
	site_table_del(site);
	spin_lock(&pmm->sites.lock);
	rb_erase(&site->in_tree, &pmm->sites.tree);
	spin_unlock(&pmm->sites.lock);
	slot_del(site);
}

/**
 * sites_free() - free sites
 * @list: the sites, linked by site::older, a grace period after they were removed
 *
 * Context: may sleep.
 */
void sites_free(struct site *list)
{
	struct site_stock freed = {};

	while (list) {
		jumps_free(list);
		plan_put(list->plan);
		freed.sites[freed.n++] = list;
		list = list->older;
		if (freed.n == SITE_STOCK) {
			site_stock_end(&freed);
			cond_resched();
		}
	}
	site_stock_end(&freed);
}

int sites_init(void)
{
	site_cache = kmem_cache_create("uprobes_site", sizeof(struct site),
				       __alignof__(struct site), SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT |
				       COMPAT_SLAB_NO_MERGE, NULL);
	return site_cache ? 0 : -ENOMEM;
}

void sites_exit(void)
{
	kmem_cache_destroy(site_cache);
}
