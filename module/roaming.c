// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of processes whose coroutines go from thread to thread.
 */
#include <linux/pagemap.h>
#include <linux/percpu-refcount.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "image.h"
#include "instance.h"
#include "retprobe.h"
#include "roaming.h"
#include "roaming_table.h"
#include "stack.h"
#include "task.h"

/* A thread that has returned to the trampoline arrives there within this time. */
#define ARRIVAL_TIME	(10 * HZ)

/* Read while the machine is stopped, and changed under the lock. */
static LIST_HEAD(roamings);
static DEFINE_RAW_SPINLOCK(roamings_lock);

/* From now on @r is found by those who look at all.  Context: the machine being stopped. */
void roaming_enlist(struct roaming *r)
{
	list_add(&r->in_list, &roamings);
}

/* One more call of a consumer is coming, and a fork copies all.  Context: the lock held. */
static void roaming_expect(const struct roaming *r, struct consumer *c)
{
	/* Those without data are taken from one reserve. */
	instances_expect(c, c->instances ? atomic_read(&c->roaming) + 1 : r->nr + 1);
}

static void put_back_del(struct roaming *r, struct uret_instance *inst)
{
	hlist_del(&inst->in_task);
	WRITE_ONCE(r->nr_put_back, r->nr_put_back - 1);
}

/* Moves those put back at @sp to the head of a list, which turns them around. */
static void put_back_pick(struct roaming *r, unsigned long sp, struct hlist_head *to)
{
	struct uret_instance *inst;
	struct hlist_node *next;

	hlist_for_each_entry_safe(inst, next, bucket_of(r, r->put_back, sp), in_task) {
		if (inst->ri.sp != sp)
			continue;
		put_back_del(r, inst);
		hlist_add_head(&inst->in_task, to);
	}
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
	for (i = 0; i < roaming_buckets(r); i++) {
		struct uret_instance *inst;

		hlist_for_each_entry(inst, &r->calls[i], in_task)
			atomic_dec(&inst->consumer->roaming);
		instances_give_back(&r->calls[i]);
	}
	for (i = 0; i < roaming_buckets(r); i++)
		instances_give_back(&r->put_back[i]);
	image->roaming = NULL;
	kvfree_rcu(r, rcu);
}

/* Where the return address lay when the stack pointer now is that of @regs. */
static bool returned_from(const struct uret_instance *inst, unsigned long trampoline,
			  const struct pt_regs *regs)
{
	return inst->trampoline == trampoline && inst->ri.sp < regs->sp &&
	       regs->sp - inst->ri.sp <= inst->word + U16_MAX;
}

/* What has just been popped still is what it was: the trampoline's, or put back. */
static bool popped(const struct uret_instance *inst)
{
	unsigned long word;

	return stack_read(&word, inst->ri.sp, inst->word, false) &&
	       (word == inst->trampoline || (inst->put_back && word == inst->ri.ret_addr));
}

/*
 * The instance with the nearest return address below the stack pointer, for returns that
 * popped arguments, too.  Where @look is set, only those that can have been popped.
 * Place by place: mostly it is one of the first, and there may be very many calls.
 */
static struct uret_instance *nearest_in(const struct roaming *r, struct hlist_head *table,
					unsigned long trampoline, const struct pt_regs *regs,
					bool look)
{
	unsigned long below, at = ALIGN(regs->sp, sizeof(u32));
	struct uret_instance *inst;

	if (!(table == r->calls ? r->nr : r->nr_put_back))
		return NULL;
	for (below = 0; below <= sizeof(long) + U16_MAX; below += sizeof(u32)) {
		at -= sizeof(u32);
		hlist_for_each_entry(inst, bucket_of(r, table, at), in_task) {
			if (inst->ri.sp == at && returned_from(inst, trampoline, regs) &&
			    (!look || popped(inst)))
				return inst;
		}
	}
	return NULL;
}

/* As retprobe_returned(), for the current task.  Context: the lock held. */
static struct uret_instance *call_returned(struct roaming *r, unsigned long trampoline,
					   const struct pt_regs *regs)
{
	unsigned int size = arch_word_size(regs);
	unsigned long word, at = regs->sp - size;
	struct uret_instance *inst, *back;
	bool known = stack_read(&word, at, size, false);
	bool plain = known && word == trampoline;

	inst = instance_in(r, r->calls, at);
	if (inst && inst->trampoline != trampoline)
		inst = NULL;
	if (inst && (plain || !known))
		return inst;
	back = instance_in(r, r->put_back, at);
	if (back && back->trampoline == trampoline && popped(back))
		return back;
	/* A plain return from nothing that is known. */
	if (plain)
		return NULL;
	return nearest_in(r, r->calls, trampoline, regs, true) ?:
		nearest_in(r, r->put_back, trampoline, regs, true) ?: inst;
}

/**
 * roaming_claim() - make the call that a task has returned from its own
 * @r: the calls of its address space
 * @utask: its state
 * @trampoline: what it has returned to
 * @regs: its user registers
 *
 * Context: the trap.
 * Return: the newest instance of the call, now one of those of @utask with all that
 * share its place; NULL when there is no such call.
 */
struct uret_instance *roaming_claim(struct roaming *r, struct utask *utask,
				    unsigned long trampoline, const struct pt_regs *regs)
{
	struct uret_instance *inst;
	HLIST_HEAD(turned);
	unsigned long sp;

	raw_spin_lock(&r->lock);
	inst = call_returned(r, trampoline, regs);
	if (!inst) {
		raw_spin_unlock(&r->lock);
		return NULL;
	}
	sp = inst->ri.sp;
	/* What a fork has copied is among the calls, put back or not. */
	if (inst->put_back && !instance_in(r, r->calls, sp)) {
		put_back_pick(r, sp, &turned);
	} else {
		while ((inst = instance_in(r, r->calls, sp))) {
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
	return inst;
}

/**
 * roaming_real() - where a call returns to
 * @r: the calls of an address space
 * @sp: where the return address lies
 * @ret_addr: the real one
 *
 * Context: any; in an NMI, which may have interrupted who has the lock, it may find nothing.
 */
bool roaming_real(struct roaming *r, unsigned long sp, unsigned long *ret_addr)
{
	struct uret_instance *inst;
	unsigned long flags;

	if (!in_nmi())
		raw_spin_lock_irqsave(&r->lock, flags);
	else if (!raw_spin_trylock_irqsave(&r->lock, flags))
		return false;
	inst = instance_in(r, r->calls, sp);
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
 * @written: it has been exchanged before there was @r
 *
 * Context: the task itself; any, the trap included.
 * Return: false when the page is there no more, with nothing done.
 */
bool roaming_link(struct roaming *r, struct hlist_head *fresh, unsigned long sp, bool chained,
		  bool written)
{
	struct uret_instance *inst;
	unsigned long flags;
	HLIST_HEAD(old);

	inst = hlist_entry(fresh->first, struct uret_instance, in_task);
	raw_spin_lock_irqsave(&r->lock, flags);
	/* It may have been put back meanwhile. */
	if (!chained || !instance_in(r, r->calls, sp)) {
		if (!written && !stack_write(sp, inst->trampoline, inst->word, false)) {
			raw_spin_unlock_irqrestore(&r->lock, flags);
			return false;
		}
		while ((inst = instance_in(r, r->calls, sp))) {
			roaming_del(r, inst);
			hlist_add_head(&inst->in_task, &old);
		}
		/* A thread that enters a call at @sp is not on its way back from there. */
		put_back_pick(r, sp, &old);
	}
	hlist_for_each_entry(inst, fresh, in_task) {
		if (IS_ENABLED(CONFIG_PREEMPT_RT))
			roaming_expect(r, inst->consumer);
	}
	roaming_add_list(r, fresh);
	raw_spin_unlock_irqrestore(&r->lock, flags);
	instances_give_back(&old);
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
	instances_give_back(&stale);
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
	unsigned int i, tries, nr;

	/* Other threads need not do the same meanwhile. */
	WRITE_ONCE(r->prune_after, jiffies + RETPROBE_PRUNE_INTERVAL);
	for (i = 0; i < roaming_buckets(r); i++) {
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
	nr = READ_ONCE(r->nr);
	WRITE_ONCE(r->prune_at, retprobe_prune_at(nr, RETPROBE_PROCESS_MAX));
	WRITE_ONCE(r->prune_after, retprobe_prune_after(nr, RETPROBE_PROCESS_MAX));
}

/* The return address of a call has been put back; @missed: it is under way.  The lock is held. */
static void set_put_back(struct roaming *r, struct uret_instance *inst, bool missed)
{
	if (missed && READ_ONCE(inst->consumer->live))
		consumer_missed(inst->consumer);
	roaming_del(r, inst);
	inst->put_back = true;
	inst->put_back_at = jiffies;
	hlist_add_head(&inst->in_task, bucket_of(r, r->put_back, inst->ri.sp));
	WRITE_ONCE(r->nr_put_back, r->nr_put_back + 1);
}

/**
 * roaming_lift() - the same as retprobe_lift()
 * @r: the calls of the current task's address space
 * @sp: where the return address lies
 * @shared: only calls of functions where the kernel may have a return probe as well
 *
 * Context: the trap.
 */
void roaming_lift(struct roaming *r, unsigned long sp, bool shared)
{
	struct uret_instance *inst;
	unsigned long flags, was;

	raw_spin_lock_irqsave(&r->lock, flags);
	inst = instance_in(r, r->calls, sp);
	if (inst && inst->shared >= shared && stack_put_back(inst, &was)) {
		while ((inst = instance_in(r, r->calls, sp)))
			set_put_back(r, inst, was == inst->trampoline);
	}
	raw_spin_unlock_irqrestore(&r->lock, flags);
}

/*
 * Puts back as much as can be without sleeping, and forgets what was put back long ago.
 * A place whose page is not there, or 0.
 */
static unsigned long put_back_bucket(struct roaming *r, unsigned int bucket, unsigned long gone)
{
	struct uret_instance *inst;
	struct hlist_node *next;
	unsigned long absent = 0, was, flags;
	HLIST_HEAD(old);

	raw_spin_lock_irqsave(&r->lock, flags);
	hlist_for_each_entry_safe(inst, next, &r->put_back[bucket], in_task) {
		if ((u32)jiffies - inst->put_back_at < ARRIVAL_TIME)
			continue;
		put_back_del(r, inst);
		hlist_add_head(&inst->in_task, &old);
	}
	hlist_for_each_entry_safe(inst, next, &r->calls[bucket], in_task) {
		bool there = stack_put_back(inst, &was);

		if (!there && inst->ri.sp != gone) {
			absent = inst->ri.sp;
			continue;
		}
		/* Otherwise the call was left long ago.  Several may share the place. */
		set_put_back(r, inst, there && (was == inst->trampoline ||
						was == inst->ri.ret_addr));
	}
	raw_spin_unlock_irqrestore(&r->lock, flags);
	instances_give_back(&old);
	return absent;
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
	unsigned int i, nr = READ_ONCE(r->nr) + READ_ONCE(r->nr_put_back);

	/* Too many for a trap. */
	if (!nr)
		return true;
	if (!may_sleep && (nr > PUT_BACK_MANY || roaming_buckets(r) > 4 * PUT_BACK_MANY))
		return false;
	for (i = 0; i < roaming_buckets(r); i++) {
		unsigned long absent = 0, gone = 0, last = 0;
		unsigned int tries = 0;

		/* What goes from the one to the other has been put back. */
		if (hlist_empty(&r->calls[i]) && hlist_empty(&r->put_back[i]))
			continue;
		while ((absent = put_back_bucket(r, i, gone))) {
			if (!may_sleep)
				return false;
			/* Other threads can take pages away again and again. */
			if (fatal_signal_pending(current))
				return true;
			tries = absent == last ? tries + 1 : 1;
			last = absent;
			/* Without a store: another thread may use the place since. */
			gone = tries == PUT_BACK_TRIES ||
			       fault_in_safe_writeable((char __user *)absent, 1) ? absent : 0;
			cond_resched();
		}
	}
	return true;
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
		for (i = 0; i < roaming_buckets(r); i++) {
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
 * @nearest: as retprobe_returned()'s
 *
 * Context: the machine being stopped, in an RCU read side.
 * Return: the newest instance of the call, or NULL.
 */
struct uret_instance *roaming_returned(struct mm_struct *mm, unsigned long trampoline,
				       const struct pt_regs *regs, bool nearest)
{
	struct image *image = image_lookup(mm);
	struct roaming *r = image ? image->roaming : NULL;
	struct uret_instance *inst;
	unsigned long at;

	/* This is asked of all threads, and most are elsewhere. */
	if (!r || trampoline < r->lowest || trampoline > r->highest)
		return NULL;
	at = regs->sp - arch_word_size(regs);
	if (nearest)
		return nearest_in(r, r->calls, trampoline, regs, false);
	inst = instance_in(r, r->calls, at) ?: instance_in(r, r->put_back, at);
	return inst && inst->trampoline == trampoline ? inst : NULL;
}
