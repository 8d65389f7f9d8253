/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for code that cannot allocate: objects of one size, allocated with kmalloc() when the
 * module is loaded, and taken in any context.
 *
 * A user returns the object, or replaces it by a new one as soon as it can sleep.  So a reserve
 * needs only as many objects as can be taken in between.  Programs are charged for the
 * replacements.
 */
#ifndef _UPROBES_RESERVE_H
#define _UPROBES_RESERVE_H

#include <linux/llist.h>
#include <linux/spinlock.h>

/**
 * struct reserve - a stock of objects
 * @lock: protects @head and @nr
 * @head: the objects, linked through their first word
 * @nr: how many
 * @target: how many the reserve should hold
 */
struct reserve {
	raw_spinlock_t lock;
	struct llist_node *head;
	unsigned int nr;
	unsigned int target;
};

int reserve_init(struct reserve *r, size_t size, unsigned int target);
void reserve_exit(struct reserve *r);
void *reserve_take(struct reserve *r);
void reserve_give(struct reserve *r, void *object);
bool reserve_refill(struct reserve *r, void *object);

#endif /* _UPROBES_RESERVE_H */
