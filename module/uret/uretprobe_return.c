// SPDX-License-Identifier: GPL-2.0
/*
 * Return probes: a task has returned to the trampoline.
 */
#include <linux/percpu-refcount.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "uretprobe_return.h"
#include "arch.h"
#include "calls.h"
#include "calls_walk.h"
#include "uretprobe.h"
#include "user_stack.h"
#include "core/calls_types.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/slots.h"
#include "core/ssol_area.h"
#include "core/task.h"
#include "core/task_handler.h"

/* The handlers of @list can be called by nobody any more. */
static void returned_missed(struct calls *calls, struct uret_instance *list)
{
	struct uret_instance *inst;

	for (inst = list; inst; inst = inst->next) {
		if (inst->again)
			consumer_hit_missed(inst->consumer);
		else
			consumer_missed(inst->consumer);
	}
	calls_give(calls, list);
}

/* The rest of returned(): several probes, handlers that may sleep, a call that is not followed. */
static noinline void returned_many(struct calls *calls, struct uret_instance *list,
				   struct pt_regs *regs)
{
	struct uret_instance *done = NULL, *later = NULL, **tail = &later, *inst;
	struct utask *utask;

	while ((inst = list)) {
		struct consumer *c = inst->consumer;

		list = inst->next;
		inst->next = NULL;
		if (READ_ONCE(c->run.live) && !inst->restored) {
			if (c->atomic) {
				consumer_hit(c);
				inst->ri.rp->handler(&inst->ri, regs);
				inst->again = task_handler_asked() && inst->ri.rp->task_handler;
			}
			if (!c->atomic || inst->again) {
				*tail = inst;
				tail = &inst->next;
				continue;
			}
		}
		inst->next = done;
		done = inst;
	}
	calls_give(calls, done);
	if (!later)
		return;
	utask = utask_get(current);
	if (utask) {
		utask->hit.returning = later;
		if (!utask_defer(utask, HIT_RETURN))
			return;
		utask->hit.returning = NULL;
	}
	returned_missed(calls, later);
}

/* The current task has returned from a call, whose instances are in no bucket any more. */
static __always_inline void returned(struct calls *calls, struct uret_instance *inst,
				     struct pt_regs *regs)
{
	struct consumer *c = inst->consumer;
	struct call_bucket *bucket;

	regs->ip = inst->ri.ret_addr;
	if (unlikely(inst->next || !c->atomic || !READ_ONCE(c->run.live) || inst->restored ||
		     inst->ri.rp->task_handler)) {
		returned_many(calls, inst, regs);
		return;
	}
	consumer_hit(c);
	inst->ri.rp->handler(&inst->ri, regs);
	task_handler_asked();
	consumer_call_put(c);
	bucket = calls_lock(calls, inst->ri.sp);
	inst->next = bucket->spare;
	bucket->spare = inst;
	calls_unlock(bucket);
}

/**
 * struct popped - what a task has returned to
 * @trampoline: this trampoline
 * @sp: with this stack pointer
 * @size: from code with return addresses of this size
 */
struct popped {
	unsigned long trampoline;
	unsigned long sp;
	unsigned int size;
};

/* Whether there is a call at @at that the task can have returned from. */
static bool call_at(struct calls *calls, const struct popped *popped, unsigned long at,
		    unsigned long word)
{
	struct uret_instance *inst;
	struct call_bucket *bucket;
	unsigned long flags;
	bool there;

	local_irq_save(flags);
	bucket = calls_lock(calls, at);
	inst = *bucket_find(bucket, at);
	there = inst && inst->trampoline == popped->trampoline && inst->word == popped->size &&
		(word == inst->trampoline || (inst->restored && word == inst->ri.ret_addr));
	calls_unlock(bucket);
	local_irq_restore(flags);
	return there;
}

/* So much of a stack is read at once, in bytes. */
#define PIECE	512

/* A return may pop so many bytes of arguments. */
#define POPPED_MAX	U16_MAX

/*
 * The nearest place below the stack pointer, down to @depth, that still holds the trampoline's
 * address for a call; or 0.  A return leaves there what it has popped.
 */
static unsigned long place_popped(struct calls *calls, const struct popped *popped,
				  unsigned int depth, bool may_sleep)
{
	unsigned long at, low, word;
	union {
		u64 w64[PIECE / sizeof(u64)];
		u32 w32[PIECE / sizeof(u32)];
	} words;
	unsigned int i;

	for (at = popped->sp; popped->sp - at < depth; at = low) {
		/* Pieces do not cross the ends of pages. */
		low = (at - 1) & -(unsigned long)PIECE;
		if (may_sleep ? copy_from_user(&words, (void __user *)low, at - low) :
		    copy_from_user_nofault(&words, (void __user *)low, at - low))
			return 0;
		for (i = (at - low) / popped->size; i--;) {
			word = popped->size == sizeof(u64) ? words.w64[i] : words.w32[i];
			if (word == popped->trampoline &&
			    call_at(calls, popped, low + i * popped->size, word))
				return low + i * popped->size;
		}
	}
	return 0;
}

/*
 * Take a call off the table that the current task has returned from.  A child of vfork() returns
 * through frames that its parent returns through as well: *@borrowed becomes true if the call is
 * its parent's, and stays.
 */
static struct uret_instance *call_take(struct calls *calls, unsigned long at, bool *borrowed)
{
	struct uret_instance **link, *inst;
	struct call_bucket *bucket;
	unsigned long flags;

	local_irq_save(flags);
	bucket = calls_lock(calls, at);
	link = bucket_find(bucket, at);
	inst = *link;
	*borrowed = inst && inst->owner != current->pid && current->vfork_done;
	if (inst && !*borrowed) {
		if (inst->owner != current->pid)
			WRITE_ONCE(calls->mixed, true);
		inst = bucket_cut(link);
	}
	calls_unlock(bucket);
	local_irq_restore(flags);
	return inst;
}

/* The instance of a call that has @n newer ones.  Context: the bucket locked. */
static struct uret_instance *call_nth(struct call_bucket *bucket, unsigned long at,
				      unsigned int n)
{
	struct uret_instance *inst = *bucket_find(bucket, at);

	while (inst && n--)
		inst = inst->next;
	return inst && inst->ri.sp == at ? inst : NULL;
}

/*
 * Copy the instances of a call.  It is in a frame of a task that waits in vfork(), so the call
 * does not return meanwhile.  Context: may sleep.
 */
static struct uret_instance *call_borrow(struct calls *calls, unsigned long at)
{
	struct uret_instance *copies = NULL, **tail = &copies, *inst, *copy;
	struct call_bucket *bucket;
	size_t data_size;
	unsigned int n;

	for (n = 0; ; n++) {
		local_irq_disable();
		bucket = calls_lock(calls, at);
		inst = call_nth(bucket, at, n);
		data_size = inst ? inst->consumer->data_size : 0;
		calls_unlock(bucket);
		local_irq_enable();
		if (!inst)
			return copies;
		copy = calls_alloc(calls, data_size);
		local_irq_disable();
		bucket = calls_lock(calls, at);
		inst = call_nth(bucket, at, n);
		if (inst && copy && copy->room >= inst->consumer->data_size) {
			instance_copy(copy, inst);
			copy->next = NULL;
			*tail = copy;
			tail = &copy->next;
			copy = NULL;
		} else if (inst) {
			consumer_missed(inst->consumer);
		}
		calls_unlock(bucket);
		local_irq_enable();
		if (copy)
			calls_free(calls, copy);
	}
}

/* What the current task has just returned to. */
static struct popped popped_now(unsigned long trampoline, const struct pt_regs *regs)
{
	return (struct popped) {
		.trampoline = trampoline,
		.sp = regs->sp,
		.size = arch_word_size(regs),
	};
}

/*
 * The place of the call that a task has returned from, or 0.  It is right below the stack pointer,
 * or further below if the return popped arguments, too (ret imm16): in that case an argument may
 * lie where a call that was left had its return address.
 */
static unsigned long place_returned(struct calls *calls, const struct popped *popped,
				    unsigned int depth, bool may_sleep)
{
	unsigned long word, at = popped->sp - popped->size, nearest;
	bool known = stack_read(&word, at, popped->size, may_sleep);

	if (call_at(calls, popped, at, known ? word : popped->trampoline))
		return at;
	nearest = place_popped(calls, popped, depth, may_sleep);
	if (nearest || !known)
		return nearest;
	/* Another thread may have written to the place since. */
	return word != popped->trampoline && call_at(calls, popped, at, popped->trampoline) &&
	       may_sleep ? at : 0;
}

/* Of 32-bit code, or one that popped arguments, or that another thread has entered. */
static noinline bool trap_closer(struct site *trampoline, struct pt_regs *regs)
{
	const struct popped popped = popped_now(trampoline->key.addr, regs);
	struct calls *calls = &trampoline->pmm->uret.calls;
	struct uret_instance *inst = NULL;
	struct utask *utask;
	bool borrowed = false;
	unsigned long at;

	if (READ_ONCE(calls->sole) == CALLS_NOBODY)
		return false;
	at = place_returned(calls, &popped, PIECE, false);
	if (at)
		inst = call_take(calls, at, &borrowed);
	if (inst && !borrowed) {
		returned(calls, inst, regs);
		return true;
	}
	/* In task context, where it can be looked for, and copied. */
	regs->ip = trampoline->key.addr;
	utask = utask_get(current);
	if (utask) {
		utask->hit.site = trampoline;
		utask_defer(utask, HIT_SEARCH);
	}
	return true;
}

/**
 * handle_trampoline() - a return-probed function has returned
 * @trampoline: the site of the trampoline
 * @regs: user registers, ip after the trampoline's breakpoint
 *
 * Context: the trap.
 * Return: false when no call can have returned this way.
 */
bool handle_trampoline(struct site *trampoline, struct pt_regs *regs)
{
	unsigned long at = regs->sp - sizeof(long);
	struct calls *calls = &trampoline->pmm->uret.calls;
	struct uret_instance **link, *inst;
	struct call_bucket *bucket;

	/* A return leaves in place what it has popped. */
	if (unlikely(!stack_word_is(at, trampoline->key.addr)))
		return trap_closer(trampoline, regs);
	bucket = calls_lock(calls, at);
	link = bucket_find(bucket, at);
	inst = *link;
	if (unlikely(!inst || inst->owner != current->pid ||
		     inst->trampoline != trampoline->key.addr || inst->word != sizeof(long))) {
		calls_unlock(bucket);
		return trap_closer(trampoline, regs);
	}
	inst = bucket_cut(link);
	calls_unlock(bucket);
	returned(calls, inst, regs);
	return true;
}

/**
 * uretprobe_search() - find the call that the current task has returned from
 * @utask: its state; utask::hit.site is the trampoline
 * @regs: its user registers, ip at the trampoline
 *
 * A program may move its return address within its stack, and pop arguments of up to 64 KiB.
 * If no call lies where a return leaves one, it is the nearest call of the thread below the
 * stack pointer, or else any of the nearest: a program must not die as long as there is one.
 *
 * Context: may sleep.
 */
void uretprobe_search(struct utask *utask, struct pt_regs *regs)
{
	struct site *trampoline = utask->hit.site;
	const struct popped popped = popped_now(trampoline->key.addr, regs);
	struct calls *calls = &trampoline->pmm->uret.calls;
	struct uret_instance *inst = NULL;
	bool borrowed = false;
	unsigned long at;

	if (regs->ip != trampoline->key.addr)
		return;
	/* What is nearest may be another thread's, and be returned from meanwhile. */
	do {
		at = place_returned(calls, &popped, POPPED_MAX, true) ?:
			calls_nearest(calls, trampoline->key.addr, regs->sp);
		if (at)
			inst = call_take(calls, at, &borrowed);
	} while (at && !inst && !fatal_signal_pending(current));
	if (borrowed) {
		if (!calls_real(calls, at, &regs->ip))
			return;
		inst = call_borrow(calls, at);
		if (!inst)
			return;
	}
	if (!inst) {
		/* Nobody has entered anything: the program has jumped here by itself. */
		regs->ip += ARCH_BREAKPOINT_LEN;
		force_sig(SIGTRAP);
		return;
	}
	/* As in the trap. */
	local_irq_disable();
	rcu_read_lock();
	returned(calls, inst, regs);
	rcu_read_unlock();
	local_irq_enable();
}

/* An instance whose table is out of reach: it counts as one of that for ever. */
static void returning_free(struct uret_instance *inst)
{
	percpu_ref_put(&inst->consumer->calls);
	kfree(inst);
}

/* An instance whose handler has been called in task context. */
static void returning_give(struct uret_instance *inst)
{
	struct probed_mm *pmm;

	inst->next = NULL;
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	if (pmm && calls_there(&pmm->uret.calls))
		calls_give(&pmm->uret.calls, inst);
	else
		returning_free(inst);
	rcu_read_unlock();
}

/**
 * uretprobe_run_sleepable() - call the handlers that may sleep
 * @utask: state of the current task
 * @regs: user registers, ip where the function has returned to
 *
 * Context: may sleep.
 */
void uretprobe_run_sleepable(struct utask *utask, struct pt_regs *regs)
{
	struct uret_instance *inst;

	while ((inst = utask->hit.returning)) {
		struct consumer *c = inst->consumer;

		utask->hit.returning = inst->next;
		if (consumer_active_get(c)) {
			if (inst->again) {
				inst->ri.rp->task_handler(&inst->ri, regs);
			} else {
				consumer_hit(c);
				inst->ri.rp->handler(&inst->ri, regs);
			}
			consumer_active_put(c);
		}
		returning_give(inst);
	}
}

/**
 * uretprobe_drop_returning() - no handler will be called: the task is at its end
 * @utask: its state
 *
 * Context: may free memory.
 */
void uretprobe_drop_returning(struct utask *utask)
{
	struct uret_instance *inst;

	while ((inst = utask->hit.returning)) {
		utask->hit.returning = inst->next;
		returning_free(inst);
	}
}

/**
 * uretprobe_released() - where a task goes on that is at the trampoline when the module goes
 * @pmm: its address space
 * @regs: its user registers
 *
 * Its stack cannot be read.
 *
 * Context: the machine being stopped.
 * Return: the return address; 0 if it is not there, or no call is known.
 */
unsigned long uretprobe_released(struct probed_mm *pmm, const struct pt_regs *regs)
{
	const struct ssol_area *area = pmm_area_at(pmm, regs->ip);
	const struct popped popped = popped_now(regs->ip, regs);
	unsigned long at, real;

	if (!area || regs->ip != ssol_area_trampoline(area) || !calls_there(&pmm->uret.calls))
		return 0;
	for (at = popped.sp - popped.size; popped.sp - at <= POPPED_MAX; at -= sizeof(u32)) {
		if (call_at(&pmm->uret.calls, &popped, at, popped.trampoline) &&
		    calls_real(&pmm->uret.calls, at, &real))
			return real;
	}
	return 0;
}
