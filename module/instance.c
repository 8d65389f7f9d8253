// SPDX-License-Identifier: GPL-2.0
/*
 * Return instances: where they come from, where they are found, and what
 * becomes of them when a task forks or exits.
 */
#include <linux/percpu-refcount.h>
#include <linux/slab.h>

#include "breakpoint.h"
#include "image.h"
#include "instance.h"
#include "probe.h"
#include "reserve.h"
#include "retprobe.h"
#include "roaming.h"
#include "task.h"

#define INSTANCE_RESERVE	512

/* Of a consumer with data, to begin with. */
#define DATA_RESERVE		32

static struct reserve instance_reserve;

/**
 * instance_spare() - an instance is not needed any more
 * @utask: state of the current task
 * @inst: the instance, in no list
 *
 * Context: any, the trap included; preemption off where the machine may be
 * stopped meanwhile.
 */
void instance_spare(struct utask *utask, struct uret_instance *inst)
{
	struct consumer *c = inst->consumer;

	if (c->instances)
		reserve_give(c->instances, inst);
	else
		hlist_add_head(&inst->in_task, &utask->spare);
	/* Last, as the consumer's reserve goes with its last call. */
	percpu_ref_put(&c->calls);
}

/* Forgets the calls whose return address lay at @sp.  Context: preemption off. */
void instance_drop_at(struct utask *utask, unsigned long sp)
{
	struct uret_instance *inst;

	while ((inst = instance_at(utask, sp))) {
		instance_unlink(utask, inst);
		instance_spare(utask, inst);
	}
}

/*
 * stray.c may still be walking a list that these were in: they are freed after a grace period,
 * which may sleep.  When that has passed (@late) they are freed at once, in any context.
 */
static void instances_free(struct hlist_head *list, bool late)
{
	struct uret_instance *inst;
	struct hlist_node *next;

	hlist_for_each_entry_safe(inst, next, list, in_task) {
		hlist_del(&inst->in_task);
		percpu_ref_put(&inst->consumer->calls);
		if (late)
			kfree(inst);
		else
			kfree_rcu_mightsleep(inst);
	}
}

/**
 * instance_give_back() - an instance is not needed any more, and no task's
 * @inst: the instance, in no list
 *
 * Context: any, the trap included.
 */
static void instance_give_back(struct uret_instance *inst)
{
	struct consumer *c = inst->consumer;

	reserve_give(c->instances ?: &instance_reserve, inst);
	/* Last, as in instance_spare(). */
	percpu_ref_put(&c->calls);
}

/* instance_give_back() for all of a list, which is empty afterwards. */
void instances_give_back(struct hlist_head *list)
{
	struct uret_instance *inst;
	struct hlist_node *next;

	hlist_for_each_entry_safe(inst, next, list, in_task) {
		hlist_del(&inst->in_task);
		instance_give_back(inst);
	}
}

/**
 * instances_unspare() - let others have a task's spare instances
 * @utask: its state
 *
 * Where one task enters what another returns from, they would become ever more.
 *
 * Context: the task itself; any, the trap included.
 */
void instances_unspare(struct utask *utask)
{
	struct uret_instance *inst;

	while (!hlist_empty(&utask->spare)) {
		inst = hlist_entry(utask->spare.first, struct uret_instance, in_task);
		hlist_del(&inst->in_task);
		reserve_give(&instance_reserve, inst);
	}
}

/**
 * instances_expect() - there are so many calls under way
 * @c: whose
 * @nr: how many
 *
 * A fork copies them all, where it cannot allocate.
 *
 * Context: any, the trap included.
 */
void instances_expect(struct consumer *c, unsigned int nr)
{
	reserve_expect(c->instances ?: &instance_reserve, nr);
}

/**
 * instance_take() - an instance for a call
 * @utask: state of the current task
 * @c: whose call it is
 * @may_sleep: whether the caller can
 *
 * Context: as @may_sleep says; the trap otherwise.
 * Return: the instance, uninitialised, or NULL.
 */
struct uret_instance *instance_take(struct utask *utask, struct consumer *c,
				    bool may_sleep)
{
	struct uret_instance *inst;

	if (!c->instances && !hlist_empty(&utask->spare)) {
		inst = hlist_entry(utask->spare.first, struct uret_instance, in_task);
		hlist_del(&inst->in_task);
		return inst;
	}
	/* A surplus of the reserve is used up first: all that is returned elsewhere goes there. */
	if (!may_sleep || reserve_surplus(c->instances ?: &instance_reserve))
		inst = reserve_take(c->instances ?: &instance_reserve);
	else
		inst = NULL;
	if (!inst && may_sleep)
		inst = kmalloc(instance_size(c), GFP_KERNEL_ACCOUNT);
	return inst;
}

/* Makes @copy, which is in no list, another instance of the same call.  Context: any. */
void instance_copy_to(struct uret_instance *copy, const struct uret_instance *inst)
{
	memcpy(copy, inst, instance_size(inst->consumer));
	percpu_ref_get(&inst->consumer->calls);
}

/**
 * instance_copy() - another instance of the same call, from the reserve
 * @inst: the instance
 *
 * Context: any, the trap included.
 * Return: the copy, in no list, or NULL.
 */
struct uret_instance *instance_copy(const struct uret_instance *inst)
{
	struct consumer *c = inst->consumer;
	struct uret_instance *copy = reserve_take(c->instances ?: &instance_reserve);

	if (copy)
		instance_copy_to(copy, inst);
	return copy;
}

/**
 * retprobe_free() - free all instances of a task
 * @utask: its state; nobody else uses it, a grace period after it could be found
 *
 * Context: any in which memory can be freed.
 */
void retprobe_free(struct utask *utask)
{
	struct uret_instance *inst;
	struct hlist_node *next;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(utask->instances); i++)
		instances_free(&utask->instances[i], true);
	instances_free(&utask->returning, true);
	hlist_for_each_entry_safe(inst, next, &utask->spare, in_task)
		kfree(inst);
}

static int copy_own(const struct utask *utask, struct hlist_head *copies)
{
	struct uret_instance *inst, *copy;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(utask->instances); i++) {
		hlist_for_each_entry(inst, &utask->instances[i], in_task) {
			copy = instance_copy(inst);
			/* Where preemption is off, PREEMPT_RT cannot allocate at all. */
			if (!copy && !IS_ENABLED(CONFIG_PREEMPT_RT)) {
				copy = kmalloc(instance_size(inst->consumer),
					       GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
				if (copy)
					instance_copy_to(copy, inst);
			}
			if (copy)
				hlist_add_head(&copy->in_task, copies);
			else
				ret = -ENOMEM;
		}
	}
	return ret;
}

/**
 * retprobe_copy() - copy what a child that is being forked needs
 * @utask: state of the parent, the current task; or NULL
 * @image: its address space, or NULL
 * @copies: where the copies are listed
 *
 * Context: any, not the trap.
 * Return: 0, or -ENOMEM when some could not be copied.
 */
int retprobe_copy(const struct utask *utask, const struct image *image,
		  struct hlist_head *copies)
{
	struct roaming *roaming;
	int ret;

	/* They are in either of two places. */
	preempt_disable();
	ret = utask ? copy_own(utask, copies) : 0;
	roaming = image ? READ_ONCE(image->roaming) : NULL;
	if (roaming)
		ret = roaming_copy(roaming, copies) ?: ret;
	preempt_enable();
	return ret;
}

/**
 * retprobe_adopt() - let a task return from calls that its creator entered
 * @copies: the calls, of retprobe_copy(); empty afterwards
 * @utask: state of the task
 *
 * Context: the task itself, or its creator before it runs.
 */
void retprobe_adopt(struct hlist_head *copies, struct utask *utask)
{
	struct uret_instance *inst;

	preempt_disable();
	/* Copying turned each bucket around; this turns it back. */
	while (!hlist_empty(copies)) {
		inst = hlist_entry(copies->first, struct uret_instance, in_task);
		hlist_del(&inst->in_task);
		instance_link(utask, inst);
	}
	preempt_enable();
}

/**
 * retprobe_restore() - put real return addresses into a copied stack
 * @copies: the calls, of retprobe_copy(); empty afterwards
 * @mm: the address space that the stack lies in, in use
 *
 * Context: may sleep; takes the mmap lock.
 */
void retprobe_restore(struct hlist_head *copies, struct mm_struct *mm)
{
	struct uret_instance *inst;

	hlist_for_each_entry(inst, copies, in_task)
		word_restore(mm, inst->ri.sp, inst->trampoline, inst->ri.ret_addr, inst->word);
	instances_free(copies, false);
}

/**
 * retprobe_discard() - give back copies that are of no use
 * @copies: the calls, of retprobe_copy(); empty afterwards
 *
 * Context: any, not the trap.
 */
void retprobe_discard(struct hlist_head *copies)
{
	instances_give_back(copies);
}

/**
 * retprobe_adopt_files() - split the calls of a forked child
 * @copies: the calls, of retprobe_copy(); empty afterwards
 * @utask: state of the child, the current task
 * @mm: its address space
 *
 * Calls of functions that are probed in every process stay known; the return
 * addresses of the others are put back.
 *
 * Context: may sleep; takes the mmap lock.
 */
void retprobe_adopt_files(struct hlist_head *copies, struct utask *utask,
			  struct mm_struct *mm)
{
	struct uret_instance *inst;
	struct hlist_node *next;
	HLIST_HEAD(others);
	HLIST_HEAD(own);

	hlist_for_each_entry_safe(inst, next, copies, in_task) {
		hlist_del(&inst->in_task);
		hlist_add_head(&inst->in_task, inst->consumer->in_every_process ||
			       inst->consumer->inherits ? &own : &others);
	}
	/* Both are turned around now. */
	hlist_for_each_entry_safe(inst, next, &own, in_task) {
		hlist_del(&inst->in_task);
		hlist_add_head(&inst->in_task, copies);
	}
	retprobe_adopt(copies, utask);
	hlist_for_each_entry(inst, &others, in_task) {
		if (!instance_at(utask, inst->ri.sp))
			word_restore(mm, inst->ri.sp, inst->trampoline, inst->ri.ret_addr,
				     inst->word);
	}
	instances_free(&others, false);
}

/**
 * retprobe_reserve() - return instances for a consumer with data
 * @data_size: bytes of data
 *
 * Context: may sleep.
 * Return: to be freed with reserve_exit() and kfree(), or ERR_PTR(-ENOMEM).
 */
struct reserve *retprobe_reserve(size_t data_size)
{
	struct reserve *r = kmalloc(sizeof(*r), GFP_KERNEL);

	if (r && !reserve_init(r, sizeof(struct uret_instance) + data_size, DATA_RESERVE))
		return r;
	kfree(r);
	return ERR_PTR(-ENOMEM);
}

int retprobe_init(void)
{
	return reserve_init(&instance_reserve, sizeof(struct uret_instance), INSTANCE_RESERVE);
}

void retprobe_exit(void)
{
	reserve_exit(&instance_reserve);
}
