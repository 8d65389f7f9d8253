/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of the calls that are kept in one place, for roaming*.c.
 */
#ifndef _UPROBES_ROAMING_TABLE_H
#define _UPROBES_ROAMING_TABLE_H

#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/siphash.h>

#include "probe.h"
#include "retprobe.h"
#include "roaming.h"

/* The bucket of one of the tables of @r. */
static inline struct hlist_head *bucket_of(const struct roaming *r, struct hlist_head *table,
					   unsigned long sp)
{
	return &table[siphash_1u64(sp, &r->key) & (roaming_buckets(r) - 1)];
}

/* The newest instance in a table whose return address lies at @sp.  Context: the lock held. */
static inline struct uret_instance *instance_in(const struct roaming *r,
						struct hlist_head *table, unsigned long sp)
{
	struct uret_instance *inst;

	hlist_for_each_entry(inst, bucket_of(r, table, sp), in_task) {
		if (inst->ri.sp == sp)
			return inst;
	}
	return NULL;
}

/* Makes @inst one of the calls, as the newest.  Context: the lock held, or nobody else. */
static inline void roaming_add(struct roaming *r, struct uret_instance *inst)
{
	hlist_add_head(&inst->in_task, bucket_of(r, r->calls, inst->ri.sp));
	r->lowest = min(r->lowest, inst->trampoline);
	r->highest = max(r->highest, inst->trampoline);
	WRITE_ONCE(r->nr, r->nr + 1);
	atomic_inc(&inst->consumer->roaming);
}

/* Context: the lock held, or nobody else. */
static inline void roaming_del(struct roaming *r, struct uret_instance *inst)
{
	hlist_del(&inst->in_task);
	WRITE_ONCE(r->nr, r->nr - 1);
	atomic_dec(&inst->consumer->roaming);
}

/* Adds instances that are listed newest last. */
static inline void roaming_add_list(struct roaming *r, struct hlist_head *list)
{
	struct uret_instance *inst;

	while (!hlist_empty(list)) {
		inst = hlist_entry(list->first, struct uret_instance, in_task);
		hlist_del(&inst->in_task);
		roaming_add(r, inst);
	}
}

#endif /* _UPROBES_ROAMING_TABLE_H */
