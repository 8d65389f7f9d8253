// SPDX-License-Identifier: GPL-2.0
/*
 * Walks over all calls of an address space, or over those in a range of it.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/percpu-refcount.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "calls_walk.h"
#include "calls.h"
#include "user_stack.h"
#include "core/calls_types.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "text/user_word.h"

/* Time within which a thread that has popped the trampoline's address executes the trampoline. */
#define ARRIVAL_TIME	(10 * HZ)

/**
 * calls_any() - check whether there is any call
 * @calls: the calls
 *
 * Context: may sleep.
 */
bool calls_any(struct calls *calls)
{
	struct call_bucket *bucket;
	u64 pos = 0, step;
	bool any = false;

	if (!calls_there(calls))
		return false;
	do {
		local_irq_disable();
		if (calls_live_at(calls, pos, &step)) {
			bucket = calls_lock_next(calls, pos, &step);
			any = bucket->live;
			calls_unlock(bucket);
		}
		local_irq_enable();
		cond_resched();
		pos += step;
	} while (pos && !any);
	return any;
}

/*
 * Remove stale instances from a bucket.  If the stack page of an instance is absent, set @absent to
 * its stack address.  But if that address is @gone, the stack does not exist any more: remove the
 * instance.  Context: the bucket locked.
 */
static struct uret_instance *bucket_prune(struct call_bucket *bucket, unsigned long gone,
					  unsigned long *absent)
{
	struct uret_instance **link = &bucket->live, *stale = NULL, *inst;
	unsigned long word;

	*absent = 0;
	while ((inst = *link)) {
		bool known = stack_read(&word, inst->ri.sp, inst->word, false);

		if (!known && inst->ri.sp != gone)
			*absent = inst->ri.sp;
		else if (!known || (word != inst->trampoline &&
				    !(inst->restored &&
				      (u32)jiffies - inst->restored_at < ARRIVAL_TIME)))
			goto take;
		link = &inst->next;
		continue;
take:
		*link = inst->next;
		inst->next = stale;
		stale = inst;
	}
	return stale;
}

static void instances_free(struct calls *calls, struct uret_instance *list, bool live)
{
	struct uret_instance *inst;

	while ((inst = list)) {
		list = inst->next;
		if (live)
			percpu_ref_put(&inst->consumer->calls);
		calls_free(calls, inst);
	}
}

/**
 * calls_prune() - prune the calls that were left without a return
 * @calls: the calls of the address space that the task uses
 * @may_fault: absent pages may be faulted in, and their provider may be waited for
 *
 * The stack word of such a call holds another value by now, or the stack does not exist any more.
 * If there are very many instances (CALLS_MAX / 2), free the spare ones, too.
 *
 * Context: may sleep.
 */
void calls_prune(struct calls *calls, bool may_fault)
{
	bool shed = atomic_read(&calls->nr) >= CALLS_MAX / 2;
	struct uret_instance *stale, *spare;
	unsigned long absent, gone = 0;
	struct call_bucket *bucket;
	unsigned int tries = 0;
	u64 pos = 0, step;

	do {
		absent = 0;
		stale = NULL;
		spare = NULL;
		local_irq_disable();
		if (shed || calls_live_at(calls, pos, &step)) {
			bucket = calls_lock_next(calls, pos, &step);
			stale = bucket_prune(bucket, gone, &absent);
			if (shed) {
				spare = bucket->spare;
				bucket->spare = NULL;
			}
			calls_unlock(bucket);
		}
		local_irq_enable();
		instances_free(calls, stale, true);
		instances_free(calls, spare, false);
		cond_resched();
		/* Other threads may remove the page again, but not forever. */
		if (absent && may_fault && ++tries < CALLS_BUCKET_MAX &&
		    !fatal_signal_pending(current)) {
			gone = fault_in_readable((char __user *)absent, 1) ? absent : 0;
			continue;
		}
		absent = 0;
		gone = 0;
		tries = 0;
		pos += step;
	} while (pos || absent);
}

/* Compute at which number of instances to prune next, with @nr left after this pruning. */
static unsigned int prune_next(unsigned int nr)
{
	return nr > CALLS_MAX / 2 ? CALLS_MAX : max(CALLS_PRUNE_MIN, 2 * nr);
}

/**
 * calls_make_room() - prepare for one more call
 * @calls: the calls of the current task's address space
 * @widest: number of return probes of the function
 *
 * Context: may sleep.
 */
void calls_make_room(struct calls *calls, unsigned int widest)
{
	unsigned int nr = atomic_read(&calls->nr), most = READ_ONCE(calls->most) ?: CALLS_MAX;

	widest = min(widest, TRAP_CONSUMERS);
	if (READ_ONCE(calls->widest) < widest)
		WRITE_ONCE(calls->widest, widest);
	if (nr >= min(READ_ONCE(calls->prune_at), most) &&
	    (nr < most || time_after_eq(jiffies, READ_ONCE(calls->prune_after)))) {
		/* Keep other threads from pruning at the same time. */
		WRITE_ONCE(calls->prune_at, CALLS_MAX);
		WRITE_ONCE(calls->prune_after, jiffies + CALLS_PRUNE_INTERVAL);
		calls_prune(calls, true);
		nr = atomic_read(&calls->nr);
		WRITE_ONCE(calls->prune_at, prune_next(nr));
		WRITE_ONCE(calls->prune_after, jiffies + CALLS_PRUNE_INTERVAL);
	}
	calls_grow(calls);
}

/* Remove the instances from a bucket whose stack addresses are in a range. */
static struct uret_instance *bucket_take_range(struct call_bucket *bucket, unsigned long start,
					       unsigned long end)
{
	struct uret_instance **link = &bucket->live, *taken = NULL, *inst;

	while ((inst = *link)) {
		if (inst->ri.sp < start || inst->ri.sp >= end) {
			link = &inst->next;
			continue;
		}
		*link = inst->next;
		inst->next = taken;
		taken = inst;
	}
	return taken;
}

static void unmapped_at(struct calls *calls, unsigned long sp)
{
	struct uret_instance *taken = NULL, **link;
	struct call_bucket *bucket;

	local_irq_disable();
	bucket = calls_lock(calls, sp);
	link = bucket_find(bucket, sp);
	if (*link)
		taken = bucket_cut(link);
	calls_unlock(bucket);
	local_irq_enable();
	instances_free(calls, taken, true);
}

/**
 * calls_unmapped() - drop the calls whose stack is unmapped
 * @calls: the calls
 * @start: first address of the range
 * @end: first address behind the range
 *
 * Walk over the words of the range, or over the buckets of the table, whichever are fewer.
 *
 * Context: may sleep.
 */
void calls_unmapped(struct calls *calls, unsigned long start, unsigned long end)
{
	struct uret_instance *taken;
	struct call_bucket *bucket;
	u64 pos = 0, step;

	if ((end - start) / sizeof(u32) < calls_buckets(calls)) {
		for (; start < end; start += sizeof(u32)) {
			unmapped_at(calls, start);
			cond_resched();
		}
		return;
	}
	do {
		taken = NULL;
		local_irq_disable();
		if (calls_live_at(calls, pos, &step)) {
			bucket = calls_lock_next(calls, pos, &step);
			taken = bucket_take_range(bucket, start, end);
			calls_unlock(bucket);
		}
		local_irq_enable();
		instances_free(calls, taken, true);
		cond_resched();
		pos += step;
	} while (pos);
}

/* Choose the better of two stack addresses for a return with stack pointer @sp; 0 is none. */
static unsigned long nearer(unsigned long sp, unsigned long a, unsigned long b)
{
	if (!a || !b)
		return a ?: b;
	if (a < sp)
		return b < sp ? max(a, b) : a;
	return b < sp ? b : min(a, b);
}

/* Find the best calls in a bucket, of this thread and of others.  Context: the bucket locked. */
static void bucket_nearest(const struct call_bucket *bucket, unsigned long trampoline,
			   unsigned long sp, unsigned long *own, unsigned long *others)
{
	const struct uret_instance *inst;

	for (inst = bucket->live; inst; inst = inst->next) {
		if (inst->trampoline != trampoline || inst->restored)
			continue;
		if (inst->owner == current->pid)
			*own = nearer(sp, *own, inst->ri.sp);
		else
			*others = nearer(sp, *others, inst->ri.sp);
	}
}

/**
 * calls_nearest() - find the call from which the current task has most likely returned
 * @calls: the calls
 * @trampoline: the trampoline that it has returned to
 * @sp: its stack pointer
 *
 * Prefer the task's nearest own call below the stack pointer, then its nearest own call above, then
 * a call of another thread.
 *
 * Context: may sleep.
 * Return: the address of the stack word, or 0 if there is no call.
 */
unsigned long calls_nearest(struct calls *calls, unsigned long trampoline, unsigned long sp)
{
	unsigned long own = 0, others = 0;
	struct call_bucket *bucket;
	u64 pos = 0, step;

	do {
		local_irq_disable();
		if (calls_live_at(calls, pos, &step)) {
			bucket = calls_lock_next(calls, pos, &step);
			bucket_nearest(bucket, trampoline, sp, &own, &others);
			calls_unlock(bucket);
		}
		local_irq_enable();
		cond_resched();
		pos += step;
	} while (pos);
	return own ?: others;
}

/**
 * struct blanks - memory for copies
 * @list: instances that are not in use
 * @nr: number of instances that are needed
 * @data_size: bytes of data that each of them must have room for
 */
struct blanks {
	struct uret_instance *list;
	unsigned int nr;
	size_t data_size;
};

/* Tests can make this call fail separately. */
#ifndef blank_alloc
#define blank_alloc(data_size)	instance_alloc(data_size, GFP_ATOMIC)
#endif

static void blanks_free(struct blanks *blanks)
{
	struct uret_instance *blank;

	while ((blank = blanks->list)) {
		blanks->list = blank->next;
		kfree(blank);
	}
}

/* Allocate the number that is needed.  Return false if there is no memory for all of them. */
static bool blanks_make(struct blanks *blanks)
{
	struct uret_instance *blank;

	blanks_free(blanks);
	for (; blanks->nr; blanks->nr--) {
		/* A fork must not fail because of the limit of a memory cgroup. */
		blank = blank_alloc(blanks->data_size);
		if (!blank)
			return false;
		blank->next = blanks->list;
		blanks->list = blank;
	}
	return true;
}

/*
 * Copy the instances of a bucket.  Note in @blanks how many the bucket needs.  Return false if
 * there are not enough.  Context: the bucket locked.
 */
static bool bucket_copy(struct call_bucket *bucket, struct blanks *blanks,
			struct uret_instance **copies)
{
	const struct uret_instance *inst;
	struct uret_instance *copy;
	bool all = true;

	blanks->nr = 0;
	blanks->data_size = 0;
	for (inst = bucket->live; inst; inst = inst->next) {
		blanks->nr++;
		blanks->data_size = max(blanks->data_size, inst->consumer->data_size);
		copy = blanks->list;
		if (!copy || copy->room < inst->consumer->data_size) {
			all = false;
			continue;
		}
		blanks->list = copy->next;
		instance_copy(copy, inst);
		copy->next = NULL;
		*copies = copy;
		copies = &copy->next;
	}
	return all;
}

/**
 * calls_copy() - copy all instances for a child that is being forked
 * @calls: the calls of the parent
 * @copies: list of the copies, the newest of a call last
 *
 * Context: may sleep, but not wait for memory.
 * Return: 0, or -ENOMEM if some could not be copied.
 */
int calls_copy(struct calls *calls, struct uret_instance **copies)
{
	struct uret_instance *made, *copy;
	struct call_bucket *bucket;
	struct blanks blanks = {};
	u64 pos = 0, step;
	int ret = 0;
	bool all;

	*copies = NULL;
	do {
		all = true;
		made = NULL;
		local_irq_disable();
		if (calls_live_at(calls, pos, &step)) {
			bucket = calls_lock_next(calls, pos, &step);
			all = bucket_copy(bucket, &blanks, &made);
			calls_unlock(bucket);
		}
		local_irq_enable();
		cond_resched();
		/* Make enough blanks and try again.  Other threads may enter calls meanwhile. */
		if (!all && !ret) {
			calls_discard(&made);
			ret = blanks_make(&blanks) ? 0 : -ENOMEM;
			continue;
		}
		/* This reverses their order. */
		while ((copy = made)) {
			made = copy->next;
			copy->next = *copies;
			*copies = copy;
		}
		all = true;
		pos += step;
	} while (pos || !all);
	blanks_free(&blanks);
	return ret;
}

/**
 * calls_adopt() - insert a copy of a call into the table of a child
 * @calls: the calls of the child, the current task
 * @inst: the copy; the newest instance of a call is inserted last
 *
 * Context: may sleep.
 * Return: false if the bucket is full.
 */
bool calls_adopt(struct calls *calls, struct uret_instance *inst)
{
	struct uret_instance **link;
	struct call_bucket *bucket;
	bool full;

	calls_grow(calls);
	inst->owner = current->pid;
	local_irq_disable();
	bucket = calls_lock(calls, inst->ri.sp);
	full = bucket_full(calls, bucket);
	if (!full) {
		link = bucket_find(bucket, inst->ri.sp);
		inst->next = *link;
		*link = inst;
		calls_enter(calls);
	}
	calls_unlock(bucket);
	local_irq_enable();
	if (!full)
		atomic_inc(&calls->nr);
	return !full;
}

/* A return address to restore without the lock of its bucket. */
struct restored {
	unsigned long sp;
	unsigned long from;
	unsigned long to;
	unsigned int word;
};

#define RESTORED_AT_ONCE	16

/* List the next return addresses to restore.  Context: the bucket locked. */
static unsigned int bucket_list(struct call_bucket *bucket, struct restored *list)
{
	struct uret_instance *inst;
	unsigned int n = 0;

	for (inst = bucket->live; inst && n < RESTORED_AT_ONCE; inst = inst->next) {
		if (inst->restored)
			continue;
		/*
		 * Until the word is restored, a task that returns finds the instance, and calls no
		 * handler.
		 */
		inst->restored = true;
		inst->restored_at = jiffies;
		list[n++] = (struct restored) {
			.sp = inst->ri.sp,
			.from = inst->trampoline,
			.to = inst->ri.ret_addr,
			.word = inst->word,
		};
	}
	return n;
}

/**
 * calls_restore() - restore all return addresses of an address space
 * @pmm: its probed mm, with a reference
 *
 * The instances stay, for tasks that have popped the trampoline's address and have not executed the
 * trampoline yet.  No further call is entered.
 *
 * Context: may sleep, in a thread without signals; takes the mmap lock.
 */
void calls_restore(struct probed_mm *pmm)
{
	struct restored list[RESTORED_AT_ONCE];
	struct call_bucket *bucket;
	u64 pos = 0, step;
	unsigned int n, k;

	if (!calls_there(&pmm->uret.calls) || !mmget_not_zero(pmm->mm))
		return;
	do {
		n = 0;
		local_irq_disable();
		if (calls_live_at(&pmm->uret.calls, pos, &step)) {
			bucket = calls_lock_next(&pmm->uret.calls, pos, &step);
			n = bucket_list(bucket, list);
			calls_unlock(bucket);
		}
		local_irq_enable();
		for (k = 0; k < n; k++)
			word_restore(pmm->mm, list[k].sp, list[k].from, list[k].to,
				     list[k].word);
		cond_resched();
		if (!n)
			pos += step;
	} while (pos || n);
	mmput(pmm->mm);
}
