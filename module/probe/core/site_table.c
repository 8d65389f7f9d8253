// SPDX-License-Identifier: GPL-2.0
/*
 * Change the table of sites.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "site_table.h"
#include "site.h"

#define TABLE_MIN_BITS		10
#define TABLE_MAX_BITS		26

/* Do not shrink at once: a client that removes many probes may be about to insert others. */
#define TABLE_SHRINK_DELAY	(5 * HZ)

/* A grace period has mostly passed by then. */
#define TABLE_GROW_DELAY	(HZ / 10)

struct site_table __rcu *site_table;

/* The innermost lock: protects the table's shape and the links of sites. */
static DEFINE_MUTEX(table_mutex);

/* Number of sites in the table. */
static unsigned long table_nr;

/* With more sites than this, the table is to grow. */
static unsigned long table_full = 1UL << (TABLE_MIN_BITS - 1);

/*
 * Grace period of the last resize, if there was one.  After it has passed, no reader uses the
 * previous table.
 */
static unsigned long table_since;
static bool table_resized;

static struct site_table *table_now(void)
{
	return rcu_dereference_protected(site_table, lockdep_is_held(&table_mutex));
}

/*
 * Allocate an empty table.  kmalloc() and huge pages would round its size up to the next power of
 * two, or to the next multiple of 2 MiB, and the table is a bit larger than that.
 */
static struct site_table *table_alloc(u32 bits, u32 link)
{
	struct site_table *table = __vmalloc(struct_size(table, buckets, 1UL << bits),
					     GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);

	if (!table)
		return NULL;
	table->bits = bits;
	table->shift = 64 - bits;
	table->link = link;
	return table;
}

/* Follow a bucket or a link to a site. */
static struct site *table_at(struct site __rcu *const *at)
{
	return rcu_dereference_protected(*at, lockdep_is_held(&table_mutex));
}

static void table_link(struct site_table *table, struct site *site)
{
	struct site __rcu **bucket;

	bucket = &table->buckets[site_hash(site->key.mm, site->key.addr) >> table->shift];
	RCU_INIT_POINTER(site->next[table->link], table_at(bucket));
	/* Pairs with site_find(): the site is complete. */
	rcu_assign_pointer(*bucket, site);
}

/*
 * Replace the table by one of another size.  If there is no memory, keep the old table.  The new
 * table uses the same links as the table before the old one.  So wait until that one has no
 * readers.
 */
static void table_resize(u32 bits)
{
	struct site_table *old = table_now(), *new;
	struct site *site;
	unsigned long i;

	if (bits < TABLE_MIN_BITS || bits > TABLE_MAX_BITS)
		return;
	new = table_alloc(bits, !old->link);
	if (!new)
		return;
	if (table_resized)
		cond_synchronize_rcu(table_since);
	table_resized = true;
	for (i = 0; i < 1UL << old->bits; i++) {
		for (site = table_at(&old->buckets[i]); site;
		     site = table_at(&site->next[old->link]))
			table_link(new, site);
		if (!(i % 4096))
			cond_resched();
	}
	/* Pairs with site_find(): all sites are linked. */
	rcu_assign_pointer(site_table, new);
	table_since = start_poll_synchronize_rcu();
	table_full = 1UL << (bits - 1);
	kvfree_rcu(old, rcu);
}

/*
 * Shrink if there are fewer sites than this: a 32nd of the buckets.  The smaller table then does
 * not need to grow again soon.
 */
static unsigned long table_few(u32 bits)
{
	return 1UL << bits >> 5;
}

/* A table has at least twice as many buckets as sites, for short chains. */
static u32 table_want(unsigned long nr)
{
	return min_t(u32, order_base_2(2 * nr), TABLE_MAX_BITS);
}

static void table_fit_work(struct work_struct *work)
{
	u32 bits;

	mutex_lock(&table_mutex);
	for (bits = table_now()->bits; bits > TABLE_MIN_BITS && table_nr < table_few(bits);)
		bits = max(bits - 2, (u32)TABLE_MIN_BITS);
	bits = max(bits, table_want(table_nr));
	if (bits != table_now()->bits)
		table_resize(bits);
	mutex_unlock(&table_mutex);
}

static DECLARE_DELAYED_WORK(table_fit, table_fit_work);

/*
 * Grow the table for @nr sites.  If many processes are probed one after the other, each would wait
 * for the grace period of the resize before.  So leave the table too small for a moment, unless
 * there are more than two sites for each bucket.
 */
static void table_grow(unsigned long nr)
{
	if (table_resized && !poll_state_synchronize_rcu(table_since) &&
	    nr <= 2UL << table_now()->bits) {
		table_full = nr;
		mod_delayed_work(system_wq, &table_fit, TABLE_GROW_DELAY);
	} else if (table_want(nr) > table_now()->bits) {
		table_resize(table_want(nr));
	}
}

/**
 * site_table_prealloc() - make room in the table
 * @n: number of sites that may be added
 *
 * Context: may sleep.
 */
void site_table_prealloc(unsigned int n)
{
	mutex_lock(&table_mutex);
	if (table_nr + n > table_full)
		table_grow(table_nr + n);
	mutex_unlock(&table_mutex);
}

/**
 * site_table_add() - let traps find a site
 * @site: the site; complete, and in no table
 *
 * Context: may sleep.
 */
void site_table_add(struct site *site)
{
	mutex_lock(&table_mutex);
	if (++table_nr > table_full)
		table_grow(table_nr);
	table_link(table_now(), site);
	mutex_unlock(&table_mutex);
}

/**
 * site_table_del() - remove a site, so that no further trap finds it
 * @site: a site in the table; not to be freed before a grace period has passed
 *
 * Context: may sleep.
 */
void site_table_del(struct site *site)
{
	struct site_table *table;
	struct site __rcu **at;

	mutex_lock(&table_mutex);
	table = table_now();
	at = &table->buckets[site_hash(site->key.mm, site->key.addr) >> table->shift];
	while (rcu_access_pointer(*at) != site)
		at = &table_at(at)->next[table->link];
	rcu_assign_pointer(*at, table_at(&site->next[table->link]));
	if (--table_nr < table_few(table->bits) && table->bits > TABLE_MIN_BITS)
		schedule_delayed_work(&table_fit, TABLE_SHRINK_DELAY);
	mutex_unlock(&table_mutex);
}

int site_table_init(void)
{
	RCU_INIT_POINTER(site_table, table_alloc(TABLE_MIN_BITS, 0));
	return rcu_access_pointer(site_table) ? 0 : -ENOMEM;
}

/**
 * site_table_exit() - free the table
 *
 * No site is left, and no trap arrives any more.
 */
void site_table_exit(void)
{
	cancel_delayed_work_sync(&table_fit);
	kvfree(rcu_dereference_protected(site_table, true));
}
