/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for places that cannot allocate: objects of one size, made ahead of
 * need in task context and taken in any context.  What was taken from it is
 * ordinary memory of kmalloc(), and can be given back.  What is far more than it
 * is to hold is freed again, after a grace period: readers under RCU may still look
 * at what was given.
 */
#ifndef _UPROBES_RESERVE_H
#define _UPROBES_RESERVE_H

#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

/**
 * struct reserve - a stock of objects
 * @lock: protects @head, @nr and @piled
 * @head: the objects, linked through their first word
 * @nr: how many
 * @base: how many there are to be at least
 * @target: how many there should be; grows when the reserve runs out
 * @piled: there were far more than @target, and @refill has not freed them yet
 * @poor_until: memory was low, and it is not tried again before, in jiffies
 * @size: of an object, in bytes
 * @kick: from the trap to where work can be queued
 * @refill: brings @nr up to @target; where memory is low, to @base; or down to @target
 */
struct reserve {
	raw_spinlock_t lock;
	struct llist_node *head;
	unsigned int nr;
	unsigned int base;
	unsigned int target;
	bool piled;
	unsigned long poor_until;
	size_t size;
	struct irq_work kick;
	struct work_struct refill;
};

int reserve_init(struct reserve *r, size_t size, unsigned int target);
void reserve_exit(struct reserve *r);
void *reserve_take(struct reserve *r);
void reserve_expect(struct reserve *r, unsigned int nr);
void reserve_give(struct reserve *r, void *object);

/* Whether it has more than it was asked to have.  Context: any. */
static inline bool reserve_surplus(const struct reserve *r)
{
	return READ_ONCE(r->nr) > READ_ONCE(r->target);
}

#endif /* _UPROBES_RESERVE_H */
