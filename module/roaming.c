// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of processes whose coroutines go from thread to thread.
 */
#include <linux/hash.h>
#include <linux/percpu-refcount.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>
#include <linux/uaccess.h>

#include "image.h"
#include "instance.h"
#include "retprobe.h"
#include "roaming.h"
#include "stack.h"
#include "task.h"

/* A thread that has returned to the trampoline arrives there within this time. */
#define ARRIVAL_TIME	(10 * HZ)

/* Read while the machine is stopped, and changed under the lock. */
static LIST_HEAD(roamings);
static DEFINE_RAW_SPINLOCK(roamings_lock);

static struct hlist_head *roaming_bucket(struct roaming *r, unsigned long sp)
{
	return &r->calls[hash_long(sp >> 2, ROAMING_BITS)];
}

/* The newest instance whose return address lies at @sp.  Context: the lock held. */
static struct uret_instance *roaming_at(struct roaming *r, unsigned long sp)
{
	struct uret_instance *inst;

	hlist_for_each_entry(inst, roaming_bucket(r, sp), in_task) {
		if (inst->ri.sp == sp)
			return inst;
	}
	return NULL;
}

static void roaming_add(struct roaming *r, struct uret_instance *inst)
{
	hlist_add_head(&inst->in_task, roaming_bucket(r, inst->ri.sp));
	WRITE_ONCE(r->nr, r->nr + 1);
}

static void roaming_del(struct roaming *r, struct uret_instance *inst)
{
	hlist_del(&inst->in_task);
	WRITE_ONCE(r->nr, r->nr - 1);
}

/* Adds instances that are listed newest last. */
static void roaming_add_list(struct roaming *r, struct hlist_head *list)
{
	struct uret_instance *inst;

	while (!hlist_empty(list)) {
		inst = hlist_entry(list->first, struct uret_instance, in_task);
		hlist_del(&inst->in_task);
		roaming_add(r, inst);
	}
}

/* Moves instances at @sp from one list to the head of another, which turns them around. */
static void instances_pick(struct hlist_head *from, unsigned long sp, struct hlist_head *to)
{
	struct uret_instance *inst;
	struct hlist_node *next;

	hlist_for_each_entry_safe(inst, next, from, in_task) {
		if (inst->ri.sp != sp)
			continue;
		hlist_del(&inst->in_task);
		hlist_add_head(&inst->in_task, to);
	}
}

static void list_give_back(struct hlist_head *list)
{
	struct uret_instance *inst;
	struct hlist_node *next;

	hlist_for_each_entry_safe(inst, next, list, in_task) {
		hlist_del(&inst->in_task);
		instance_give_back(inst);
	}
}

static void move_from_task(struct utask *utask, void *data)
{
	struct roaming *r = data;
	HLIST_HEAD(turned);
	unsigned int i;

	if (utask->task->mm != r->mm || utask->borrowed)
		return;
	for (i = 0; i < ARRAY_SIZE(utask->instances); i++) {
		struct uret_instance *inst;
		struct hlist_node *next;

		hlist_for_each_entry_safe(inst, next, &utask->instances[i], in_task) {
			instance_unlink(utask, inst);
			hlist_add_head(&inst->in_task, &turned);
		}
		roaming_add_list(r, &turned);
	}
}

/**
 * struct roaming_start - what is done while the machine is stopped
 * @image: the address space
 * @r: what it gets, if it has none yet; NULL afterwards when it got it
 */
struct roaming_start {
	struct image *image;
	struct roaming *r;
};

static int roaming_start(void *data)
{
	struct roaming_start *start = data;

	if (start->image->roaming)
		return 0;
	utask_for_each(move_from_task, start->r);
	list_add(&start->r->in_list, &roamings);
	WRITE_ONCE(start->image->roaming, start->r);
	/* Hits take the long way. */
	WRITE_ONCE(start->image->resumptions, true);
	start->r = NULL;
	return 0;
}

/**
 * roaming_begin() - keep the calls of an address space in one place from now on
 * @image: the address space
 *
 * Context: may sleep; stops the machine, once in the life of @image.
 */
void roaming_begin(struct image *image)
{
	struct roaming_start start = { .image = image };

	if (READ_ONCE(image->roaming))
		return;
	start.r = kzalloc(sizeof(*start.r), GFP_KERNEL | __GFP_NOFAIL);
	raw_spin_lock_init(&start.r->lock);
	start.r->mm = image->mm;
	start.r->prune_at = RETPROBE_PRUNE_MIN;
	start.r->turned = jiffies;
	/* No trap, and nobody who has preemption off, is in the middle of anything. */
	stop_machine(roaming_start, &start, NULL);
	kfree(start.r);
}

/**
 * roaming_end() - forget the calls of an address space
 * @image: the address space, dead
 *
 * Context: may sleep.
 */
void roaming_end(struct image *image)
{
	struct roaming *r = image->roaming;
	unsigned long flags;
	unsigned int i;

	if (!r)
		return;
	raw_spin_lock_irqsave(&roamings_lock, flags);
	list_del(&r->in_list);
	raw_spin_unlock_irqrestore(&roamings_lock, flags);
	for (i = 0; i < ARRAY_SIZE(r->calls); i++)
		list_give_back(&r->calls[i]);
	for (i = 0; i < ARRAY_SIZE(r->put_back); i++)
		list_give_back(&r->put_back[i]);
	image->roaming = NULL;
	kfree_rcu(r, rcu);
}

/**
 * struct suspicion - whether there are calls
 * @mm: in this address space
 * @found: there are, of another task than the current
 */
struct suspicion {
	const struct mm_struct *mm;
	bool found;
};

static void suspicion_look(struct utask *utask, void *data)
{
	struct suspicion *s = data;

	if (READ_ONCE(utask->task->mm) == s->mm && utask->task != current &&
	    READ_ONCE(utask->nr_instances))
		s->found = true;
}

/**
 * roaming_suspected() - may the current task be in another's call?
 * @mm: its address space
 *
 * Context: any, the trap included.
 */
bool roaming_suspected(struct mm_struct *mm)
{
	struct suspicion s = { .mm = mm };

	utask_for_each(suspicion_look, &s);
	return s.found;
}

/* Where the return address lay when the stack pointer now is that of @regs. */
static bool returned_from(const struct uret_instance *inst, unsigned long trampoline,
			  const struct pt_regs *regs)
{
	return inst->trampoline == trampoline && inst->ri.sp < regs->sp &&
	       regs->sp - inst->ri.sp <= inst->word + U16_MAX;
}

static struct uret_instance *nearest_in(const struct hlist_head *list, unsigned long trampoline,
					const struct pt_regs *regs,
					struct uret_instance *nearest)
{
	struct uret_instance *inst;

	hlist_for_each_entry(inst, list, in_task) {
		if (returned_from(inst, trampoline, regs) &&
		    (!nearest || inst->ri.sp > nearest->ri.sp))
			nearest = inst;
	}
	return nearest;
}

/* As retprobe_returned().  Context: the lock held, or the machine being stopped. */
static struct uret_instance *call_returned(struct roaming *r, unsigned long trampoline,
					   const struct pt_regs *regs)
{
	struct uret_instance *inst = roaming_at(r, regs->sp - arch_word_size(regs));
	unsigned int i;

	if (inst && inst->trampoline == trampoline)
		return inst;
	inst = NULL;
	for (i = 0; i < ARRAY_SIZE(r->put_back); i++)
		inst = nearest_in(&r->put_back[i], trampoline, regs, inst);
	if (inst && inst->ri.sp == regs->sp - inst->word)
		return inst;
	for (i = 0; i < ARRAY_SIZE(r->calls); i++)
		inst = nearest_in(&r->calls[i], trampoline, regs, inst);
	return inst;
}

/**
 * roaming_claim() - make the call that a task has returned from its own
 * @r: the calls of its address space
 * @utask: its state
 * @trampoline: what it has returned to
 * @regs: its user registers
 *
 * The instances are among those of @utask afterwards.
 *
 * Context: the trap.
 * Return: false when there is no such call.
 */
bool roaming_claim(struct roaming *r, struct utask *utask, unsigned long trampoline,
		   const struct pt_regs *regs)
{
	struct uret_instance *inst;
	HLIST_HEAD(turned);
	unsigned long sp;

	raw_spin_lock(&r->lock);
	inst = call_returned(r, trampoline, regs);
	if (!inst) {
		raw_spin_unlock(&r->lock);
		return false;
	}
	sp = inst->ri.sp;
	if (inst->put_back) {
		instances_pick(&r->put_back[0], sp, &turned);
		instances_pick(&r->put_back[1], sp, &turned);
	} else {
		while ((inst = roaming_at(r, sp))) {
			roaming_del(r, inst);
			hlist_add_head(&inst->in_task, &turned);
		}
	}
	raw_spin_unlock(&r->lock);

	while (!hlist_empty(&turned)) {
		inst = hlist_entry(turned.first, struct uret_instance, in_task);
		hlist_del(&inst->in_task);
		instance_link(utask, inst);
	}
	return true;
}

/**
 * roaming_real() - where a call returns to
 * @r: the calls of an address space
 * @sp: where the return address lies
 * @ret_addr: the real one
 *
 * Context: any, also where it interrupts who has the lock: then it finds nothing.
 */
bool roaming_real(struct roaming *r, unsigned long sp, unsigned long *ret_addr)
{
	struct uret_instance *inst;
	unsigned long flags;

	if (!raw_spin_trylock_irqsave(&r->lock, flags))
		return false;
	inst = roaming_at(r, sp);
	if (inst)
		*ret_addr = inst->ri.ret_addr;
	raw_spin_unlock_irqrestore(&r->lock, flags);
	return inst;
}

/**
 * roaming_link() - make a call known, and exchange its return address
 * @r: the calls of the address space
 * @fresh: its instances, oldest first; none afterwards
 * @sp: where the return address lies; in a page that was there a moment ago
 * @chained: the trampoline's was there already, for a call that this one is
 *	entered from in its frame
 *
 * Context: the task itself; any, the trap included.
 * Return: false when the page is there no more, with nothing done.
 */
bool roaming_link(struct roaming *r, struct hlist_head *fresh, unsigned long sp, bool chained)
{
	struct uret_instance *inst;
	unsigned long flags;
	HLIST_HEAD(old);

	inst = hlist_entry(fresh->first, struct uret_instance, in_task);
	raw_spin_lock_irqsave(&r->lock, flags);
	/* It may have been put back meanwhile. */
	if (!chained || !roaming_at(r, sp)) {
		if (!stack_write(sp, inst->trampoline, inst->word, false)) {
			raw_spin_unlock_irqrestore(&r->lock, flags);
			return false;
		}
		while ((inst = roaming_at(r, sp))) {
			roaming_del(r, inst);
			hlist_add_head(&inst->in_task, &old);
		}
	}
	hlist_for_each_entry(inst, fresh, in_task)
		instances_expect(inst->consumer, r->nr + 1);
	roaming_add_list(r, fresh);
	raw_spin_unlock_irqrestore(&r->lock, flags);
	list_give_back(&old);
	return true;
}

/* Drops what is stale in a bucket; a place whose page is not there, or 0. */
static unsigned long prune_bucket(struct roaming *r, struct hlist_head *bucket,
				  unsigned long gone)
{
	struct uret_instance *inst;
	struct hlist_node *next;
	unsigned long absent = 0, word, flags;
	HLIST_HEAD(stale);

	raw_spin_lock_irqsave(&r->lock, flags);
	hlist_for_each_entry_safe(inst, next, bucket, in_task) {
		if (!stack_read(&word, inst->ri.sp, inst->word, false)) {
			if (inst->ri.sp != gone) {
				absent = inst->ri.sp;
				continue;
			}
		} else if (word == inst->trampoline) {
			continue;
		}
		roaming_del(r, inst);
		hlist_add_head(&inst->in_task, &stale);
	}
	raw_spin_unlock_irqrestore(&r->lock, flags);
	list_give_back(&stale);
	return absent;
}

/**
 * roaming_prune() - forget the calls that were left without a return
 * @r: the calls of the current task's address space
 *
 * Their place on the stack holds something else by now, or there is no stack
 * any more.
 *
 * Context: may sleep.
 */
void roaming_prune(struct roaming *r)
{
	unsigned int i, tries;

	for (i = 0; i < ARRAY_SIZE(r->calls); i++) {
		unsigned long at = 0;
		unsigned long byte;

		for (tries = 0; tries < 2 * RETPROBE_PRUNE_MIN; tries++) {
			at = prune_bucket(r, &r->calls[i], at);
			if (!at)
				break;
			if (stack_read(&byte, at, 1, true))
				at = 0;
		}
		cond_resched();
	}
	WRITE_ONCE(r->prune_at, max_t(unsigned int, RETPROBE_PRUNE_MIN, 2 * READ_ONCE(r->nr)));
}

/* If the word is @from, it becomes @to; @was is what it was.  False without a page. */
static bool word_swap(unsigned long sp, unsigned long from, unsigned long to, unsigned int size,
		      unsigned long *was)
{
	/* A locked access to two cache lines is an exception that the kernel dies of. */
	if (!IS_ALIGNED(sp, size))
		return stack_read(was, sp, size, false) &&
		       (*was != from || stack_write(sp, to, size, false));
	if (!user_access_begin((void __user *)sp, size))
		return false;
	if (size == sizeof(u64)) {
		u64 old = from;

		unsafe_try_cmpxchg_user((u64 __user *)sp, &old, (u64)to, fault);
		*was = old;
	} else {
		u32 old = from;

		unsafe_try_cmpxchg_user((u32 __user *)sp, &old, (u32)to, fault);
		*was = old;
	}
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

/* As much as can be without sleeping; a place whose page is not there, or 0. */
static unsigned long put_back_bucket(struct roaming *r, struct hlist_head *bucket,
				     unsigned long gone)
{
	struct uret_instance *inst;
	struct hlist_node *next;
	unsigned long absent = 0, was, flags;

	raw_spin_lock_irqsave(&r->lock, flags);
	pagefault_disable();
	hlist_for_each_entry_safe(inst, next, bucket, in_task) {
		bool there = word_swap(inst->ri.sp, inst->trampoline, inst->ri.ret_addr,
				       inst->word, &was);

		if (!there && inst->ri.sp != gone) {
			absent = inst->ri.sp;
			continue;
		}
		/* Otherwise the call was left long ago.  Several may share the place. */
		if (there && (was == inst->trampoline || was == inst->ri.ret_addr) &&
		    READ_ONCE(inst->consumer->live))
			consumer_missed(inst->consumer);
		roaming_del(r, inst);
		inst->put_back = true;
		hlist_add_head(&inst->in_task, &r->put_back[0]);
	}
	pagefault_enable();
	raw_spin_unlock_irqrestore(&r->lock, flags);
	return absent;
}

/* Forgets those that were put back long ago. */
static void put_back_turn(struct roaming *r)
{
	unsigned long flags;
	HLIST_HEAD(old);

	raw_spin_lock_irqsave(&r->lock, flags);
	if (time_after(jiffies, r->turned + ARRIVAL_TIME)) {
		hlist_move_list(&r->put_back[1], &old);
		hlist_move_list(&r->put_back[0], &r->put_back[1]);
		r->turned = jiffies;
	}
	raw_spin_unlock_irqrestore(&r->lock, flags);
	list_give_back(&old);
}

/**
 * roaming_put_back() - put the return addresses of all calls back
 * @r: the calls of the current task's address space, whose stacks are going to
 *	be read
 * @may_sleep: whether the caller can
 *
 * Which of them lie on the stack that is read is not known.  They are followed
 * no more, and count as missed.
 *
 * Context: as @may_sleep says; the trap otherwise.
 * Return: false when it takes a context that can sleep; the rest is to be done
 * there.
 */
bool roaming_put_back(struct roaming *r, bool may_sleep)
{
	unsigned int i;

	put_back_turn(r);
	for (i = 0; i < ARRAY_SIZE(r->calls); i++) {
		unsigned long absent = 0, gone = 0;

		while ((absent = put_back_bucket(r, &r->calls[i], gone))) {
			if (!may_sleep)
				return false;
			/* Other threads can take pages away again and again. */
			if (fatal_signal_pending(current))
				return true;
			gone = fault_in_writeable((char __user *)absent, 1) ? absent : 0;
			cond_resched();
		}
	}
	return true;
}

/**
 * roaming_copy() - copy what a child that is being forked needs
 * @r: the calls of the parent
 * @copies: where the copies are listed, newest last
 *
 * Context: any, not the trap.
 * Return: 0, or -ENOMEM; @copies has some then.
 */
int roaming_copy(struct roaming *r, struct hlist_head *copies)
{
	struct uret_instance *inst, *copy;
	unsigned long flags;
	unsigned int i;
	int ret = 0;

	raw_spin_lock_irqsave(&r->lock, flags);
	for (i = 0; i < ARRAY_SIZE(r->calls) && !ret; i++) {
		hlist_for_each_entry(inst, &r->calls[i], in_task) {
			copy = instance_copy(inst);
			if (!copy) {
				ret = -ENOMEM;
				break;
			}
			hlist_add_head(&copy->in_task, copies);
		}
	}
	raw_spin_unlock_irqrestore(&r->lock, flags);
	return ret;
}

/**
 * roaming_for_each() - call a function for each call
 * @fn: the function
 * @data: passed to it
 *
 * Context: the machine being stopped.
 */
void roaming_for_each(void (*fn)(struct mm_struct *mm, const struct uret_instance *inst,
				 void *data), void *data)
{
	struct uret_instance *inst;
	struct roaming *r;
	unsigned int i;

	list_for_each_entry(r, &roamings, in_list) {
		for (i = 0; i < ARRAY_SIZE(r->calls); i++) {
			hlist_for_each_entry(inst, &r->calls[i], in_task)
				fn(r->mm, inst, data);
		}
	}
}

/**
 * roaming_returned() - the call that a task has returned from
 * @mm: its address space
 * @trampoline: what it has returned to
 * @regs: its user registers
 *
 * Context: the machine being stopped.
 * Return: the newest instance of the call, or NULL.
 */
struct uret_instance *roaming_returned(struct mm_struct *mm, unsigned long trampoline,
				       const struct pt_regs *regs)
{
	struct roaming *r;

	list_for_each_entry(r, &roamings, in_list) {
		if (r->mm == mm)
			return call_returned(r, trampoline, regs);
	}
	return NULL;
}
