/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table in which a trap finds the site at an address.
 *
 * The table is made for this one look-up: a multiplication, a bucket, and nearly always a single
 * comparison.  Readers use RCU and never wait.  The table grows and shrinks with the number of
 * sites.  While it is resized, a site is in two tables, with a separate link for each (site::next).
 */
#ifndef _UPROBES_SITE_TABLE_H
#define _UPROBES_SITE_TABLE_H

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/rcupdate.h>

#include "pmm_types.h"

/**
 * struct site_table - the table in one of its sizes
 * @rcu: frees it after look-ups
 * @shift: right shift that turns a hash into the number of a bucket
 * @link: index of this table's link in site::next
 * @bits: logarithm of the number of buckets
 * @buckets: lists, linked through site::next
 */
struct site_table {
	struct rcu_head rcu;
	u32 shift;
	u32 link;
	u32 bits;
	struct site __rcu *buckets[];
};

extern struct site_table __rcu *site_table;

/*
 * A probed file has sites at the same addresses in many processes: they must not share a bucket.
 */
static inline u64 site_hash(const struct mm_struct *mm, unsigned long addr)
{
	return (addr ^ rol64((unsigned long)mm, 23)) * GOLDEN_RATIO_64;
}

/**
 * site_find() - look up the site at an address
 * @mm: the address space
 * @addr: the address
 *
 * Context: RCU read side; any, the trap included.
 * Return: the site, which stays at least for this RCU read side, or NULL.
 */
static __always_inline struct site *site_find(const struct mm_struct *mm, unsigned long addr)
{
	const struct site_table *table = rcu_dereference(site_table);
	struct site *site = rcu_dereference(table->buckets[site_hash(mm, addr) >> table->shift]);

	while (site && (site->key.addr != addr || site->key.mm != mm))
		site = rcu_dereference(site->next[table->link]);
	return site;
}

int site_table_init(void);
void site_table_exit(void);
void site_table_prealloc(unsigned int n);
void site_table_add(struct site *site);
void site_table_del(struct site *site);

#endif /* _UPROBES_SITE_TABLE_H */
