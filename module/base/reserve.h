/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for places that cannot allocate: objects of one size, made when the module is loaded
 * and taken in any context.  An object is memory of kmalloc().  Whoever takes one gives it back,
 * or puts another one in its place as soon as he can sleep: so a reserve holds as many as may be
 * taken between the two, and programs are charged for what they need beyond.
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
 * @target: how many there are to be
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
