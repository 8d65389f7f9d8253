/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table in which a trap finds the site at an address.
 *
 * Made for that one look-up: a multiplication, a bucket, and nearly always a
 * single comparison.  Readers use RCU and never wait.  The table grows and
 * shrinks with the number of sites; while it does, sites are in two tables, by
 * links of their own for each (struct site::next).
 */
#ifndef _UPROBES_SITE_TABLE_H
#define _UPROBES_SITE_TABLE_H

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/rcupdate.h>

#include "site.h"

/**
 * struct site_table - the table as it is at one time
 * @rcu: for readers
 * @shift: what remains of a hash behind it is the number of a bucket
 * @link: which of the links of a site is this table's
 * @bits: there are two to the power of so many buckets
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

/* Sites of one text at the same addresses in many processes must not meet. */
static inline u64 site_hash(const struct mm_struct *mm, unsigned long addr)
{
	return (addr ^ rol64((unsigned long)mm, 23)) * GOLDEN_RATIO_64;
}

/**
 * site_find() - the site at an address
 * @mm: the address space
 * @addr: the address
 *
 * Context: RCU read side; any, the trap included.
 * Return: the site, which stays for as long as its image, or NULL.
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
