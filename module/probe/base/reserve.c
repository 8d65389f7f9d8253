// SPDX-License-Identifier: GPL-2.0
/*
 * Objects that are allocated in advance.
 */
#include <linux/slab.h>

#include "reserve.h"

/* Put an object into a reserve that has fewer than @target.  Return whether it had. */
static bool reserve_put(struct reserve *r, void *object, unsigned int target)
{
	struct llist_node *node = object;
	unsigned long flags;
	bool wanted;

	raw_spin_lock_irqsave(&r->lock, flags);
	wanted = r->nr < target;
	if (wanted) {
		node->next = r->head;
		r->head = node;
		r->nr++;
	}
	raw_spin_unlock_irqrestore(&r->lock, flags);
	return wanted;
}

/**
 * reserve_give() - put an object into a reserve
 * @r: the reserve
 * @object: memory that kfree() takes, of at least the reserve's size
 *
 * Context: any, traps included.
 */
void reserve_give(struct reserve *r, void *object)
{
	reserve_put(r, object, UINT_MAX);
}

/**
 * reserve_refill() - put an object into a reserve that has too few
 * @r: the reserve
 * @object: as for reserve_give()
 *
 * Context: any, traps included.
 * Return: false if the reserve has enough; the object then stays with the caller.
 */
bool reserve_refill(struct reserve *r, void *object)
{
	return reserve_put(r, object, r->target);
}

/**
 * reserve_take() - take an object
 * @r: the reserve
 *
 * Context: any, traps included.
 * Return: uninitialised memory, to free with kfree() or to return to the reserve; NULL if the
 * reserve is empty.
 */
void *reserve_take(struct reserve *r)
{
	struct llist_node *node;
	unsigned long flags;

	raw_spin_lock_irqsave(&r->lock, flags);
	node = r->head;
	if (node) {
		r->head = node->next;
		r->nr--;
	}
	raw_spin_unlock_irqrestore(&r->lock, flags);
	return node;
}

/**
 * reserve_init() - set up and fill a reserve
 * @r: the reserve
 * @size: of an object, in bytes; at least a pointer's
 * @target: number of objects to hold ready
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int reserve_init(struct reserve *r, size_t size, unsigned int target)
{
	raw_spin_lock_init(&r->lock);
	r->head = NULL;
	r->nr = 0;
	r->target = target;
	while (target--) {
		void *object = kmalloc(size, GFP_KERNEL);

		if (!object) {
			reserve_exit(r);
			return -ENOMEM;
		}
		reserve_give(r, object);
	}
	return 0;
}

/**
 * reserve_exit() - free the objects of a reserve
 * @r: the reserve, which is no longer in use
 *
 * Context: may sleep.
 */
void reserve_exit(struct reserve *r)
{
	struct llist_node *node;

	while ((node = r->head)) {
		r->head = node->next;
		kfree(node);
	}
}
