// SPDX-License-Identifier: GPL-2.0
/*
 * Return probes: handle a return to the trampoline.
 */
#include <linux/percpu-refcount.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "uretprobe_return.h"
#include "arch.h"
#include "calls.h"
#include "calls_walk.h"
#include "user_stack.h"
#include "core/calls_types.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/slots.h"
#include "core/ssol_area.h"
#include "core/task.h"
#include "core/task_handler.h"

/* Check whether the handlers of an instance are to be called.  Context: RCU read side. */
static bool instance_followed(const struct uret_instance *inst)
{
	return READ_ONCE(inst->consumer->run.live) && !inst->restored;
}

/* Count the instances of @list as missed, because their handlers cannot be called. */
static void returned_missed(struct calls *calls, struct uret_instance *list)
{
	struct uret_instance *inst;

	for (inst = list; inst; inst = inst->next) {
		if (inst->asked)
			consumer_hit_missed(inst->consumer);
		else if (instance_followed(inst))
			consumer_missed(inst->consumer);
	}
	instances_recycle(calls, list);
}

/* Call an atomic handler.  Context: interrupts off. */
static void returned_atomic(struct uret_instance *inst, struct pt_regs *regs)
{
	consumer_hit(inst->consumer);
	inst->ri.rp->handler(&inst->ri, regs);
	inst->asked = task_handler_asked() && inst->ri.rp->task_handler;
}

/* The slow path of returned(): several probes, handlers that may sleep, or a call not followed. */
static noinline void returned_many(struct calls *calls, struct uret_instance *list,
				   struct pt_regs *regs)
{
	struct uret_instance *done = NULL, *later = NULL, **tail = &later, *inst;
	unsigned int n = TRAP_CONSUMERS;
	struct utask *utask;

	while ((inst = list) && n--) {
		struct consumer *c = inst->consumer;

		list = inst->next;
		inst->next = NULL;
		if (instance_followed(inst)) {
			if (c->atomic)
				returned_atomic(inst, regs);
			if (!c->atomic || inst->asked) {
				*tail = inst;
				tail = &inst->next;
				continue;
			}
		}
		inst->next = done;
		done = inst;
	}
	/* Leave the others to task context. */
	*tail = list;
	instances_recycle(calls, done);
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

/* Handle a return of the current task.  The instances of the call are in no bucket any more. */
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
 * struct trampoline_return - a return to a trampoline
 * @trampoline: the trampoline
 * @sp: stack pointer after the return
 * @size: size of the return addresses of the code, in bytes
 */
struct trampoline_return {
	unsigned long trampoline;
	unsigned long sp;
	unsigned int size;
};

/* Check whether there is a call at @at from which the task can have returned. */
static bool call_at(struct calls *calls, const struct trampoline_return *popped, unsigned long at,
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

/* How much of a stack is read at once, in bytes. */
#define PIECE	512

/* Maximum number of bytes of arguments that a return can pop. */
#define POPPED_MAX	U16_MAX

/*
 * Find the nearest stack address below the stack pointer that still holds the trampoline's address
 * for a call.  Look no further than @depth bytes.  A return does not overwrite what it has popped.
 * Return: the address, or 0.
 */
static unsigned long place_popped(struct calls *calls, const struct trampoline_return *popped,
				  unsigned int depth, bool may_sleep)
{
	unsigned long at, low, word;
	union {
		u64 w64[PIECE / sizeof(u64)];
		u32 w32[PIECE / sizeof(u32)];
	} words;
	unsigned int i;

	for (at = popped->sp; popped->sp - at < depth; at = low) {
		/* A piece does not cross the end of a page. */
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
 * Remove the call from the table from which the current task has returned.  A child of vfork()
 * returns through frames through which its parent returns as well.  If the call is the parent's, it
 * stays in the table, and *@borrowed becomes true.
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

/* Find the instance of a call that has @n newer ones.  Context: the bucket locked. */
static struct uret_instance *call_nth(struct call_bucket *bucket, unsigned long at,
				      unsigned int n)
{
	struct uret_instance *inst = *bucket_find(bucket, at);

	while (inst && n--)
		inst = inst->next;
	return inst && inst->ri.sp == at ? inst : NULL;
}

/*
 * Copy the instances of a call.  The call is in a frame of a task that waits in vfork(), so it does
 * not return meanwhile.  Context: may sleep.
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

/* Describe the return that the current task has just executed. */
static struct trampoline_return current_return(unsigned long trampoline, const struct pt_regs *regs)
{
	return (struct trampoline_return) {
		.trampoline = trampoline,
		.sp = regs->sp,
		.size = arch_word_size(regs),
	};
}

/*
 * Find the stack address of the call from which a task has returned.  Check the word right below
 * the stack pointer first.  Its address may still be the key of a stale call, so the word must hold
 * the trampoline's address (or the return address, if that was restored).  If the return has popped
 * arguments, too (ret imm16), the call is further below.  Return: the address, or 0.
 */
static unsigned long find_ret_slot(struct calls *calls, const struct trampoline_return *popped,
				   unsigned int depth, bool may_sleep)
{
	unsigned long word, at = popped->sp - popped->size, nearest;
	bool known = stack_read(&word, at, popped->size, may_sleep);

	if (call_at(calls, popped, at, known ? word : popped->trampoline))
		return at;
	nearest = place_popped(calls, popped, depth, may_sleep);
	if (nearest || !known)
		return nearest;
	/* Another thread may have written to the word since. */
	return word != popped->trampoline && call_at(calls, popped, at, popped->trampoline) &&
	       may_sleep ? at : 0;
}

/*
 * Handle a return in 32-bit code, a return that popped arguments, or a return from a call that
 * another thread has entered.
 */
static noinline bool handle_return_slow(struct site *trampoline, struct pt_regs *regs)
{
	const struct trampoline_return popped = current_return(trampoline->key.addr, regs);
	struct calls *calls = &trampoline->pmm->uret.calls;
	struct uret_instance *inst = NULL;
	struct utask *utask;
	bool borrowed = false;
	unsigned long at;

	if (READ_ONCE(calls->sole) == CALLS_NOBODY)
		return false;
	at = find_ret_slot(calls, &popped, PIECE, false);
	if (at)
		inst = call_take(calls, at, &borrowed);
	if (inst && !borrowed) {
		returned(calls, inst, regs);
		return true;
	}
	/* Defer to task context, where the call can be looked for, and copied. */
	regs->ip = trampoline->key.addr;
	utask = utask_get(current);
	if (utask) {
		utask->hit.site = trampoline;
		utask_defer(utask, HIT_SEARCH);
	}
	return true;
}

/**
 * handle_trampoline() - handle the return of a return-probed function
 * @trampoline: the site of the trampoline
 * @regs: user registers, ip at the trampoline's breakpoint, or after it
 *
 * Context: the trap.
 * Return: false if no call can have returned this way.
 */
bool handle_trampoline(struct site *trampoline, struct pt_regs *regs)
{
	unsigned long at = regs->sp - sizeof(long);
	struct calls *calls = &trampoline->pmm->uret.calls;
	struct uret_instance **link, *inst;
	struct call_bucket *bucket;

	/* A return does not overwrite what it has popped. */
	if (unlikely(!stack_word_is(at, trampoline->key.addr)))
		return handle_return_slow(trampoline, regs);
	bucket = calls_lock(calls, at);
	link = bucket_find(bucket, at);
	inst = *link;
	if (unlikely(!inst || inst->owner != current->pid ||
		     inst->trampoline != trampoline->key.addr || inst->word != sizeof(long))) {
		calls_unlock(bucket);
		return handle_return_slow(trampoline, regs);
	}
	inst = bucket_cut(link);
	calls_unlock(bucket);
	returned(calls, inst, regs);
	return true;
}

/**
 * uretprobe_search() - find the call from which the current task has returned, and handle it
 * @utask: its utask; utask::hit.site is the trampoline
 * @regs: its user registers, ip at the trampoline
 *
 * A program may move its return address within its stack, and pop arguments of up to 64 KiB.  If
 * there is no call at a stack address where a return leaves one, take the nearest call, as
 * calls_nearest() finds it.  If there is any call, the program must not die.
 *
 * Context: may sleep.
 */
void uretprobe_search(struct utask *utask, struct pt_regs *regs)
{
	struct site *trampoline = utask->hit.site;
	const struct trampoline_return popped = current_return(trampoline->key.addr, regs);
	struct calls *calls = &trampoline->pmm->uret.calls;
	struct uret_instance *inst = NULL;
	bool borrowed = false;
	unsigned long at;

	if (regs->ip != trampoline->key.addr)
		return;
	/* The nearest call may be another thread's, which may return from it meanwhile. */
	do {
		at = find_ret_slot(calls, &popped, POPPED_MAX, true) ?:
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
		/* There is no call: the program itself has jumped here. */
		regs->ip += ARCH_BREAKPOINT_LEN;
		force_sig(SIGTRAP);
		return;
	}
	/* Call it as in the trap. */
	local_irq_disable();
	rcu_read_lock();
	returned(calls, inst, regs);
	rcu_read_unlock();
	local_irq_enable();
}

/* Free an instance whose table cannot be reached.  The table goes on counting it. */
static void returning_free(struct uret_instance *inst)
{
	percpu_ref_put(&inst->consumer->calls);
	kfree(inst);
}

/* Give back an instance whose handler has been called in task context. */
static void returning_give(struct uret_instance *inst)
{
	struct probed_mm *pmm;

	inst->next = NULL;
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	if (pmm && calls_there(&pmm->uret.calls))
		instances_recycle(&pmm->uret.calls, inst);
	else
		returning_free(inst);
	rcu_read_unlock();
}

/* Call an atomic handler that the trap has left, as in the trap. */
static void returned_left(struct uret_instance *inst, struct pt_regs *regs)
{
	local_irq_disable();
	if (instance_followed(inst))
		returned_atomic(inst, regs);
	local_irq_enable();
}

/**
 * uretprobe_run_sleepable() - call the handlers that may sleep, and those that the trap has left
 * @utask: utask of the current task
 * @regs: user registers, ip at the address to which the function has returned
 *
 * Context: may sleep.
 */
void uretprobe_run_sleepable(struct utask *utask, struct pt_regs *regs)
{
	struct uret_instance *inst;

	while ((inst = utask->hit.returning)) {
		struct consumer *c = inst->consumer;

		utask->hit.returning = inst->next;
		if (c->atomic && !inst->asked)
			returned_left(inst, regs);
		if ((!c->atomic || inst->asked) && !inst->restored && consumer_active_get(c)) {
			if (inst->asked) {
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
 * uretprobe_drop_returning() - free return instances whose handlers will not be called
 * @utask: utask of a task that is at its end
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
 * uretprobe_released() - find where a task continues that is at the trampoline during unload
 * @pmm: its address space
 * @regs: its user registers
 *
 * The stack of the task cannot be read.
 *
 * Context: the machine being stopped.
 * Return: the return address; 0 if the task is not at the trampoline, or if no call is known.
 */
unsigned long uretprobe_released(struct probed_mm *pmm, const struct pt_regs *regs)
{
	const struct ssol_area *area = pmm_area_at(pmm, regs->ip);
	const struct trampoline_return popped = current_return(regs->ip, regs);
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
