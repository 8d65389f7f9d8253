/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What retprobe.c does with return instances.
 */
#ifndef _UPROBES_INSTANCE_H
#define _UPROBES_INSTANCE_H

#include <linux/hash.h>
#include <linux/list.h>

#include "probe.h"
#include "retprobe.h"
#include "task.h"

static inline struct hlist_head *instance_bucket(struct utask *utask, unsigned long sp)
{
	return &utask->instances[hash_long(sp >> 2, RETPROBE_BITS)];
}

/* The newest instance whose return address lies at @sp. */
static inline struct uret_instance *instance_at(struct utask *utask, unsigned long sp)
{
	struct uret_instance *inst;

	hlist_for_each_entry(inst, instance_bucket(utask, sp), in_task) {
		if (inst->ri.sp == sp)
			return inst;
	}
	return NULL;
}

/* Takes an instance out of its bucket.  Context: preemption off. */
static inline void instance_unlink(struct utask *utask, struct uret_instance *inst)
{
	__hlist_del(&inst->in_task);
	utask->nr_instances--;
}

/* Puts an instance into its bucket, as the newest.  Context: preemption off. */
static inline void instance_link(struct utask *utask, struct uret_instance *inst)
{
	hlist_add_head(&inst->in_task, instance_bucket(utask, inst->ri.sp));
	utask->nr_instances++;
}

struct uret_instance *instance_take(struct utask *utask, struct consumer *c, bool may_sleep);
void instance_spare(struct utask *utask, struct uret_instance *inst);
void instances_give_back(struct hlist_head *list);
void instances_unspare(struct utask *utask);
struct uret_instance *instance_copy(const struct uret_instance *inst);
void instance_copy_to(struct uret_instance *copy, const struct uret_instance *inst);

/* In bytes, with the data of the consumer. */
static inline size_t instance_size(const struct consumer *c)
{
	return sizeof(struct uret_instance) + c->data_size;
}

void instances_expect(struct consumer *c, unsigned int nr);
void instance_drop_at(struct utask *utask, unsigned long sp);

/* As instance_spare().  Context: RCU read side, interrupts off. */
static inline void instance_done(struct utask *utask, struct uret_instance *inst)
{
	struct consumer *c = inst->consumer;

	if (unlikely(c->instances)) {
		instance_spare(utask, inst);
		return;
	}
	hlist_add_head(&inst->in_task, &utask->spare);
	consumer_call_put(c);
}

#endif /* _UPROBES_INSTANCE_H */
