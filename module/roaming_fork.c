// SPDX-License-Identifier: GPL-2.0
/*
 * What a fork does to calls that go from thread to thread.
 */
#include <linux/slab.h>

#include "instance.h"
#include "retprobe.h"
#include "roaming.h"

/*
 * Memory for copies of what is in a bucket, each of the size returned, made without the
 * lock; none on PREEMPT_RT.
 */
static size_t blanks_make(struct roaming *r, unsigned int bucket, struct hlist_head *blank)
{
	struct hlist_head *lists[] = { &r->calls[bucket], &r->put_back[bucket] };
	struct uret_instance *inst;
	unsigned int i, nr = 0;
	unsigned long flags;
	size_t size = 0;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return 0;
	raw_spin_lock_irqsave(&r->lock, flags);
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		hlist_for_each_entry(inst, lists[i], in_task) {
			size = max(size, instance_size(inst->consumer));
			nr++;
		}
	}
	raw_spin_unlock_irqrestore(&r->lock, flags);
	while (nr--) {
		inst = kmalloc(size, GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
		if (!inst)
			break;
		hlist_add_head(&inst->in_task, blank);
	}
	return size;
}

/* In one of @blank, which have room for @size bytes, or of the reserve; or NULL. */
static struct uret_instance *copy_make(const struct uret_instance *inst, struct hlist_head *blank,
				       size_t size)
{
	struct uret_instance *copy;

	if (hlist_empty(blank) || size < instance_size(inst->consumer))
		return instance_copy(inst);
	copy = hlist_entry(blank->first, struct uret_instance, in_task);
	hlist_del(&copy->in_task);
	instance_copy_to(copy, inst);
	return copy;
}

/**
 * roaming_copy() - copy what a child that is being forked needs
 * @r: the calls of the parent
 * @copies: where the copies are listed, newest last
 *
 * Also what has been put back since the address space was copied.
 *
 * Context: any, not the trap.
 * Return: 0, or -ENOMEM when some could not be copied.
 */
int roaming_copy(struct roaming *r, struct hlist_head *copies)
{
	struct uret_instance *inst, *copy;
	struct hlist_node *next;
	unsigned int i, k;
	unsigned long flags;
	size_t size;
	bool none;
	int ret = 0;

	raw_spin_lock_irqsave(&r->lock, flags);
	none = !r->nr && !r->nr_put_back;
	raw_spin_unlock_irqrestore(&r->lock, flags);
	if (none)
		return 0;
	for (i = 0; i < roaming_buckets(r); i++) {
		struct hlist_head *lists[] = { &r->calls[i], &r->put_back[i] };
		HLIST_HEAD(blank);

		size = blanks_make(r, i, &blank);
		raw_spin_lock_irqsave(&r->lock, flags);
		for (k = 0; k < ARRAY_SIZE(lists); k++) {
			hlist_for_each_entry(inst, lists[k], in_task) {
				copy = copy_make(inst, &blank, size);
				if (copy)
					hlist_add_head(&copy->in_task, copies);
				else
					ret = -ENOMEM;
			}
		}
		raw_spin_unlock_irqrestore(&r->lock, flags);
		hlist_for_each_entry_safe(inst, next, &blank, in_task)
			kfree(inst);
	}
	return ret;
}
