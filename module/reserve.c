// SPDX-License-Identifier: GPL-2.0
/*
 * Objects made ahead of need.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "reserve.h"

/* A reserve never grows beyond so many objects by itself, and by what is asked for. */
#define RESERVE_MAX		8192U
#define RESERVE_MAX_EXPECT	65536U

/* So many are taken off at once where there are too many, with interrupts off. */
#define RESERVE_SHED		256

/**
 * reserve_give() - put an object into a reserve
 * @r: the reserve
 * @object: memory that kfree() takes, of at least the reserve's size
 *
 * When there are twice as many as it is to hold, the surplus is freed some time later.
 *
 * Context: any, the trap included.
 */
void reserve_give(struct reserve *r, void *object)
{
	struct llist_node *node = object;
	unsigned long flags;
	bool piled;

	raw_spin_lock_irqsave(&r->lock, flags);
	node->next = r->head;
	r->head = node;
	r->nr++;
	piled = r->nr > 2 * r->target && !r->piled;
	r->piled |= piled;
	raw_spin_unlock_irqrestore(&r->lock, flags);
	if (piled)
		irq_work_queue(&r->kick);
}

/* Programs decide how much is taken beyond what there is to begin with. */
static bool memory_low(void)
{
	return si_mem_available() < (long)(totalram_pages() / 16);
}

static int reserve_fill(struct reserve *r)
{
	while (READ_ONCE(r->nr) < READ_ONCE(r->target)) {
		void *object;

		if (r->nr >= r->base && r->nr % 64 == 0 && memory_low()) {
			WRITE_ONCE(r->poor_until, jiffies + HZ);
			break;
		}
		object = kmalloc(r->size, GFP_KERNEL);

		if (!object)
			return -ENOMEM;
		reserve_give(r, object);
	}
	return 0;
}

/* Takes off what is more than there is to be. */
static struct llist_node *reserve_shed(struct reserve *r)
{
	struct llist_node *node, *surplus = NULL;
	unsigned long flags;
	unsigned int i;
	bool more;

	do {
		raw_spin_lock_irqsave(&r->lock, flags);
		for (i = 0; i < RESERVE_SHED && r->nr > r->target; i++) {
			node = r->head;
			r->head = node->next;
			r->nr--;
			node->next = surplus;
			surplus = node;
		}
		more = r->nr > r->target;
		r->piled = more;
		raw_spin_unlock_irqrestore(&r->lock, flags);
		cond_resched();
	} while (more);
	return surplus;
}

static void reserve_refill_work(struct work_struct *work)
{
	struct reserve *r = container_of(work, struct reserve, refill);
	struct llist_node *surplus, *next;

	if (READ_ONCE(r->piled)) {
		surplus = reserve_shed(r);
		/* stray.c may be at one of them that was in a list before. */
		synchronize_rcu();
		for (; surplus; surplus = next) {
			next = surplus->next;
			kfree(surplus);
			cond_resched();
		}
	}
	reserve_fill(r);
}

static void reserve_kick(struct irq_work *kick)
{
	struct reserve *r = container_of(kick, struct reserve, kick);

	queue_work(system_unbound_wq, &r->refill);
}

/* Context: any. */
static void reserve_order(struct reserve *r)
{
	if (READ_ONCE(r->nr) < r->base || time_after(jiffies, READ_ONCE(r->poor_until)))
		irq_work_queue(&r->kick);
}

/**
 * reserve_take() - take an object
 * @r: the reserve
 *
 * When less than half of the stock is left, the rest is ordered.
 *
 * Context: any, the trap included.
 * Return: uninitialised memory, to be freed with kfree(), or NULL when the
 * reserve has run out.
 */
void *reserve_take(struct reserve *r)
{
	struct llist_node *node;
	unsigned long flags;
	bool low;

	raw_spin_lock_irqsave(&r->lock, flags);
	node = r->head;
	if (node) {
		r->head = node->next;
		r->nr--;
	} else {
		r->target = max(r->target, min(2 * r->target, RESERVE_MAX));
	}
	low = r->nr < r->target / 2;
	raw_spin_unlock_irqrestore(&r->lock, flags);

	if (low)
		reserve_order(r);
	return node;
}

/**
 * reserve_expect() - say how many objects may be taken at once
 * @r: the reserve
 * @nr: so many
 *
 * They are there some time later, unless memory is low.
 *
 * Context: any, the trap included.
 */
void reserve_expect(struct reserve *r, unsigned int nr)
{
	unsigned long flags;

	nr = min(nr, RESERVE_MAX_EXPECT / 2);
	if (likely(nr <= READ_ONCE(r->target) / 2 && nr <= READ_ONCE(r->nr)))
		return;
	raw_spin_lock_irqsave(&r->lock, flags);
	if (r->target < 2 * nr)
		r->target = 2 * nr;
	raw_spin_unlock_irqrestore(&r->lock, flags);
	reserve_order(r);
}

/**
 * reserve_init() - set up and fill a reserve
 * @r: the reserve
 * @size: of an object, in bytes; at least a pointer's
 * @target: how many objects to hold ready
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int reserve_init(struct reserve *r, size_t size, unsigned int target)
{
	raw_spin_lock_init(&r->lock);
	r->head = NULL;
	r->nr = 0;
	r->piled = false;
	r->base = target;
	r->poor_until = jiffies - 1;
	r->target = target;
	r->size = size;
	init_irq_work(&r->kick, reserve_kick);
	INIT_WORK(&r->refill, reserve_refill_work);
	if (!reserve_fill(r))
		return 0;
	reserve_exit(r);
	return -ENOMEM;
}

/**
 * reserve_exit() - free what is left
 * @r: the reserve; nobody takes from it any more
 *
 * Context: may sleep.
 */
void reserve_exit(struct reserve *r)
{
	struct llist_node *node;

	irq_work_sync(&r->kick);
	cancel_work_sync(&r->refill);
	while ((node = r->head)) {
		r->head = node->next;
		kfree(node);
	}
}
