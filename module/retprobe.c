// SPDX-License-Identifier: GPL-2.0
/*
 * Return probes: instances are made at a function's entry and used up at its
 * return.
 */
#include <linux/mm.h>
#include <linux/percpu-refcount.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "again.h"
#include "breakpoint.h"
#include "hit.h"
#include "image.h"
#include "instance.h"
#include "retprobe.h"
#include "roaming.h"
#include "stack.h"
#include "stray.h"
#include "task.h"

/**
 * retprobe_missed() - count a call that cannot be followed
 * @set: consumers of the function's first instruction
 *
 * Context: any; the caller keeps @set.
 */
void retprobe_missed(const struct consumer_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (set->consumers[i]->type == CONSUMER_RETURN)
			consumer_missed(set->consumers[i]);
	}
}

/* An instance for each return consumer, in a list with the last one first. */
static bool instances_take(struct utask *utask, const struct consumer_set *set,
			   struct hlist_head *fresh, bool may_sleep)
{
	struct uret_instance *inst;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		struct consumer *c = set->consumers[i];

		if (c->type != CONSUMER_RETURN || !percpu_ref_tryget_live(&c->calls))
			continue;
		inst = instance_take(utask, c, may_sleep);
		if (!inst) {
			percpu_ref_put(&c->calls);
			return false;
		}
		inst->consumer = c;
		inst->again = false;
		inst->put_back = false;
		memset(inst->ri.data, 0, c->data_size);
		hlist_add_head(&inst->in_task, fresh);
	}
	return true;
}

static void instances_spare(struct utask *utask, struct hlist_head *fresh)
{
	struct uret_instance *inst;
	struct hlist_node *next;

	hlist_for_each_entry_safe(inst, next, fresh, in_task) {
		hlist_del(&inst->in_task);
		instance_spare(utask, inst);
	}
}

/*
 * Whether the entry handler wants the call followed, or there is none.  Where it cannot be
 * called any more the call is not followed: the probe may be enabled again before it returns.
 */
static bool instance_wanted(struct uret_instance *inst, struct pt_regs *regs)
{
	struct consumer *c = inst->consumer;
	unsigned long flags;
	bool wanted = true;

	if (c->atomic) {
		/* As in the trap, which this may be. */
		local_irq_save(flags);
		wanted = READ_ONCE(c->live) && (!inst->ri.rp->entry_handler ||
						!inst->ri.rp->entry_handler(&inst->ri, regs));
		again_asked();
		local_irq_restore(flags);
	} else if (c->in_task) {
		wanted = consumer_active_get(c);
		if (wanted) {
			wanted = !inst->ri.rp->entry_handler(&inst->ri, regs);
			consumer_active_put(c);
		}
	}
	return wanted;
}

/* Moves all instances to another list, the other way round. */
static void instances_turn(struct hlist_head *from, struct hlist_head *to)
{
	struct uret_instance *inst;

	while (!hlist_empty(from)) {
		inst = hlist_entry(from->first, struct uret_instance, in_task);
		hlist_del(&inst->in_task);
		hlist_add_head(&inst->in_task, to);
	}
}

/*
 * Of what has gone while a handler slept nothing is followed: who looks for calls under way has not
 * seen these.  Context: preemption off until the rest is linked.
 */
static void instances_drop_dead(struct utask *utask, struct hlist_head *fresh)
{
	struct uret_instance *inst;
	struct hlist_node *next;

	hlist_for_each_entry_safe(inst, next, fresh, in_task) {
		if (READ_ONCE(inst->consumer->live))
			continue;
		hlist_del(&inst->in_task);
		instance_spare(utask, inst);
	}
}

static bool prepare(struct utask *utask, const struct site *site,
		    const struct consumer_set *set, struct pt_regs *regs, bool may_sleep)
{
	unsigned long trampoline = READ_ONCE(site->image->trampoline);
	struct roaming *roaming = READ_ONCE(site->image->roaming);
	unsigned int size = arch_word_size(regs);
	unsigned long word, sp = regs->sp;
	struct uret_instance *inst;
	struct hlist_node *next;
	HLIST_HEAD(reversed);
	HLIST_HEAD(fresh);
	bool chained, written, linked;

	/* What is put back is exchanged at once, which a word must be aligned for. */
	if (!IS_ALIGNED(sp, size) || arch_stack_fixed())
		goto missed;
	if (may_sleep && utask_crowded(utask))
		instances_prune(utask);
	if (may_sleep && roaming && roaming_crowded(roaming))
		roaming_prune(roaming);
	if (utask->nr_instances >= RETPROBE_TASK_MAX ||
	    (roaming && READ_ONCE(roaming->nr) >= RETPROBE_PROCESS_MAX))
		goto missed;
	if (!stack_read(&word, sp, size, may_sleep))
		goto again;

	/* Entered by a jump from a return-probed function, in its frame. */
	chained = word == trampoline;
	if (chained && !retprobe_real(utask, site->image, sp, &word))
		goto missed;

	/* Where calls roam the trampoline is stored at last: see now whether it can be. */
	if (!instances_take(utask, set, &reversed, may_sleep) ||
	    (!chained && !hlist_empty(&reversed) &&
	     !stack_write(sp, roaming ? word : trampoline, size, may_sleep))) {
		instances_spare(utask, &reversed);
		goto again;
	}

	/* To be linked in order of registration, so that the newest is first. */
	instances_turn(&reversed, &fresh);
	hlist_for_each_entry_safe(inst, next, &fresh, in_task) {
		inst->ri.rp = container_of(inst->consumer->u, struct uretprobe, u);
		inst->ri.ret_addr = word;
		inst->ri.sp = sp;
		inst->ri.func = site->key.addr;
		inst->entered = get_cycles();
		inst->trampoline = trampoline;
		inst->word = size;
		inst->shared = regs == &utask->shared_regs;
		if (!instance_wanted(inst, regs)) {
			hlist_del(&inst->in_task);
			instance_spare(utask, inst);
		}
	}
	preempt_disable();
	if (may_sleep)
		instances_drop_dead(utask, &fresh);
	/* Nobody wants to know; the page has just been written. */
	if (hlist_empty(&fresh)) {
		preempt_enable();
		if (!chained && !roaming)
			stack_write(sp, word, size, may_sleep);
		return true;
	}

	if (!chained)
		instance_drop_at(utask, sp);
	written = !roaming && !chained;
	roaming = READ_ONCE(site->image->roaming);
	/* A call that is entered in the frame of one of the task's own becomes its own, too. */
	if (unlikely(roaming) && !(chained && instance_at(utask, sp))) {
		linked = roaming_link(roaming, &fresh, sp, chained, written);
		preempt_enable();
		while (!linked && may_sleep && !fatal_signal_pending(current) &&
		       stack_write(sp, word, size, true))
			linked = roaming_link(roaming, &fresh, sp, chained, written);
		if (!linked) {
			instances_spare(utask, &fresh);
			goto missed;
		}
		return true;
	}
	while (!hlist_empty(&fresh)) {
		inst = hlist_entry(fresh.first, struct uret_instance, in_task);
		hlist_del(&inst->in_task);
		instance_link(utask, inst);
		if (IS_ENABLED(CONFIG_PREEMPT_RT))
			instances_expect(inst->consumer, utask->nr_instances);
	}
	preempt_enable();
	return true;

again:
	if (!may_sleep)
		return false;
missed:
	retprobe_missed(set);
	return true;
}

/*
 * Exchanges the return address for the trampoline's; false where the page is
 * not there or cannot be written, with nothing done.
 */
static __always_inline bool word_exchange(unsigned long addr, unsigned long to,
					  unsigned long *from)
{
	unsigned long __user *word = (unsigned long __user *)addr;
	unsigned long old;

	if (unlikely(!user_access_begin(word, sizeof(*word))))
		return false;
	unsafe_get_user(old, word, fault);
	/* Entered by a jump in the frame of another call: see prepare(). */
	if (unlikely(old == to))
		goto fault;
	unsafe_put_user(to, word, fault);
	user_access_end();
	*from = old;
	return true;
fault:
	user_access_end();
	return false;
}

/**
 * retprobe_enter() - make the return of a function known, in the usual case
 * @site: the function's first instruction, in 64-bit code
 * @c: its only consumer, which has neither an entry handler nor data
 * @regs: user registers, ip still behind the breakpoint
 *
 * Context: the trap.
 * Return: true when the hit has been dealt with; false, and nothing is done, when
 * this is not the usual case.
 */
bool retprobe_enter(const struct site *site, struct consumer *c, struct pt_regs *regs)
{
	unsigned long trampoline = READ_ONCE(site->image->trampoline);
	struct utask *utask = utask_own();
	unsigned long sp = regs->sp, real;
	struct uret_instance *inst;
	bool exchanged;

	if (unlikely(!utask || hlist_empty(&utask->spare) || arch_stepped(regs->flags) ||
		     !IS_ALIGNED(sp, sizeof(long)) || arch_stack_fixed() ||
		     utask->nr_instances >= utask->prune_at))
		return false;
	if (unlikely(!percpu_ref_tryget_live_rcu(&c->calls)))
		return false;
	pagefault_disable();
	exchanged = word_exchange(sp, trampoline, &real);
	pagefault_enable();
	if (unlikely(!exchanged)) {
		consumer_call_put(c);
		return false;
	}
	if (unlikely(instance_at(utask, sp)))
		instance_drop_at(utask, sp);

	inst = hlist_entry(utask->spare.first, struct uret_instance, in_task);
	__hlist_del(&inst->in_task);
	inst->consumer = c;
	inst->trampoline = trampoline;
	inst->word = sizeof(long);
	inst->again = false;
	inst->shared = false;
	inst->put_back = false;
	inst->ri.rp = container_of(c->u, struct uretprobe, u);
	inst->ri.ret_addr = real;
	inst->ri.sp = sp;
	inst->ri.func = site->key.addr;
	inst->entered = get_cycles();
	instance_link(utask, inst);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		instances_expect(c, utask->nr_instances);
	regs->ip = site->resume;
	return true;
}

/**
 * retprobe_prepare() - make the return of the function being entered known
 * @utask: state of the current task
 * @site: the function's first instruction
 * @set: consumers of @site
 * @regs: user registers; sp is where the return address lies
 *
 * Context: the trap.
 * Return: false when it takes a context that can sleep; nothing is done then.
 */
bool retprobe_prepare(struct utask *utask, const struct site *site,
		      const struct consumer_set *set, struct pt_regs *regs)
{
	return prepare(utask, site, set, regs, false);
}

/**
 * retprobe_prepare_sleepable() - the same, where one can sleep
 * @utask: state of the current task
 * @site: the function's first instruction
 * @set: consumers of @site; the caller holds a reference
 * @regs: user registers
 *
 * What cannot be prepared even here is counted as missed.
 *
 * Context: may sleep.
 */
void retprobe_prepare_sleepable(struct utask *utask, const struct site *site,
				const struct consumer_set *set, struct pt_regs *regs)
{
	prepare(utask, site, set, regs, true);
}

/**
 * retprobe_lift() - a function was entered by a jump, and the kernel may have a return probe there
 * @utask: state of the current task
 * @image: its address space
 * @regs: user registers at the entry
 * @shared: only calls of functions where the kernel may have one as well
 *
 * What lies on the stack then is our trampoline's address. The kernel goes by whether it is its
 * own, which it is again where the first function has a return probe of the kernel's, too, and
 * ours comes last: see hit_share(). The calls are followed no more, and count as missed.
 *
 * Context: the trap.
 */
void retprobe_lift(struct utask *utask, const struct image *image, const struct pt_regs *regs,
		   bool shared)
{
	struct roaming *roaming;
	struct uret_instance *inst;
	unsigned long was;

	/* Moved from here to there with the machine stopped. */
	preempt_disable();
	roaming = READ_ONCE(image->roaming);
	inst = utask ? instance_at(utask, regs->sp) : NULL;
	if (inst && inst->shared >= shared && stack_put_back(inst, &was)) {
		while ((inst = instance_at(utask, regs->sp))) {
			if (was == inst->trampoline && READ_ONCE(inst->consumer->live))
				consumer_missed(inst->consumer);
			instance_unlink(utask, inst);
			instance_spare(utask, inst);
		}
	}
	preempt_enable();
	if (roaming)
		roaming_lift(roaming, regs->sp, shared);
}

/* What has just been popped is still there; if not, this is another's. */
static noinline bool instance_popped(const struct uret_instance *inst)
{
	unsigned long word;

	return stack_read(&word, inst->ri.sp, inst->word, false) && word == inst->trampoline;
}

/*
 * The instance with the nearest return address below the stack pointer.  Where @look is set,
 * which is for the current task, only those that can have been popped.
 */
static struct uret_instance *instance_nearest(struct utask *utask, unsigned long trampoline,
					      const struct pt_regs *regs, bool look)
{
	struct uret_instance *inst, *nearest;
	unsigned int i;

	nearest = NULL;
	for (i = 0; i < ARRAY_SIZE(utask->instances); i++) {
		hlist_for_each_entry(inst, &utask->instances[i], in_task) {
			if (inst->trampoline != trampoline || inst->ri.sp >= regs->sp ||
			    regs->sp - inst->ri.sp > inst->word + U16_MAX)
				continue;
			if ((!nearest || inst->ri.sp > nearest->ri.sp) &&
			    (!look || instance_popped(inst)))
				nearest = inst;
		}
	}
	return nearest;
}

/**
 * retprobe_returned() - the call that a task has returned from
 * @utask: its state
 * @trampoline: what it has returned to
 * @regs: its user registers
 * @nearest: how to look: for a return address right below sp, or further below, as it is
 *	when the return popped arguments too (ret imm16)
 *
 * Context: the machine being stopped.
 * Return: the newest instance of the call, or NULL.
 */
struct uret_instance *retprobe_returned(struct utask *utask, unsigned long trampoline,
					const struct pt_regs *regs, bool nearest)
{
	struct uret_instance *inst;

	if (nearest)
		return instance_nearest(utask, trampoline, regs, false);
	inst = instance_at(utask, regs->sp - arch_word_size(regs));
	return inst && inst->trampoline == trampoline ? inst : NULL;
}

/* Appends to the instances whose handlers are to be called in task context. */
static struct uret_instance *instance_add_behind(struct utask *utask, struct uret_instance *inst,
						 struct uret_instance *last)
{
	if (last)
		hlist_add_behind(&inst->in_task, &last->in_task);
	else
		hlist_add_head(&inst->in_task, &utask->returning);
	return inst;
}

/* The task has returned from the call of @inst, one of its own. */
static __always_inline bool returned(struct utask *utask, struct uret_instance *inst,
				     struct pt_regs *regs)
{
	struct uret_instance *last = NULL;
	unsigned long sp;

	sp = inst->ri.sp;
	regs->ip = inst->ri.ret_addr;
	do {
		struct consumer *c = inst->consumer;

		instance_unlink(utask, inst);
		if (unlikely(!READ_ONCE(c->live) || inst->put_back)) {
			instance_done(utask, inst);
		} else if (c->atomic) {
			consumer_hit(c);
			inst->ri.rp->handler(&inst->ri, regs);
			if (likely(!again_asked()) || !inst->ri.rp->task_handler) {
				instance_done(utask, inst);
				continue;
			}
			inst->again = true;
			last = instance_add_behind(utask, inst, last);
		} else {
			last = instance_add_behind(utask, inst, last);
		}
	} while ((inst = instance_at(utask, sp)));
	if (unlikely(last) && hit_defer(utask, HIT_RETURN)) {
		while (!hlist_empty(&utask->returning)) {
			inst = hlist_entry(utask->returning.first, struct uret_instance,
					   in_task);
			hlist_del(&inst->in_task);
			if (inst->again)
				consumer_hit_missed(inst->consumer);
			instance_spare(utask, inst);
		}
	}
	return true;
}

/*
 * A return from a call that the task has not entered, or from none.  Another
 * task's becomes its own; as long as calls are not looked for in others, it is
 * to execute the trampoline once more when they are.
 */
static bool trap_roaming(struct utask *utask, struct site *trampoline, struct pt_regs *regs)
{
	struct roaming *roaming = READ_ONCE(trampoline->image->roaming);
	struct uret_instance *inst;

	if (!roaming && !stray_suspected(trampoline->image->mm))
		return false;
	if (!utask)
		utask = utask_get(current);
	/* The refill of the reserve is on its way. */
	if (!utask)
		goto again;
	inst = NULL;
	if (roaming) {
		inst = roaming_claim(roaming, utask, trampoline->key.addr, regs);
		if (!inst && !roaming_partial(roaming))
			return false;
	}
	if (!inst) {
		utask->site = trampoline;
		hit_defer(utask, HIT_ROAM);
		goto again;
	}
	returned(utask, inst, regs);
	/* This task may never enter what it could use them for. */
	instances_unspare(utask);
	return true;
again:
	regs->ip = trampoline->key.addr;
	return true;
}

/* Of 32-bit code, or one that popped arguments, or of what the task has not entered. */
static noinline bool trap_closer(struct utask *utask, struct site *trampoline,
				 struct pt_regs *regs)
{
	unsigned int size = arch_word_size(regs);
	unsigned long word, at = regs->sp - size;
	struct uret_instance *inst = utask ? instance_at(utask, at) : NULL;
	bool known = stack_read(&word, at, size, false);
	bool plain = known && word == trampoline->key.addr;
	struct uret_instance *nearest;

	if (inst && inst->trampoline != trampoline->key.addr)
		inst = NULL;
	/* A plain return; what is further below is another call. */
	if (!utask || (plain && !inst))
		return trap_roaming(utask, trampoline, regs);
	/* Otherwise an argument may lie where a call that was left had its return address. */
	if (!inst || (known && !plain)) {
		nearest = instance_nearest(utask, trampoline->key.addr, regs, true);
		if (!nearest && !inst)
			return trap_roaming(utask, trampoline, regs);
		if (nearest)
			inst = nearest;
	}
	return returned(utask, inst, regs);
}

/**
 * retprobe_trap() - a return-probed function has returned
 * @trampoline: the site of the trampoline
 * @regs: user registers, ip after the trampoline's breakpoint
 *
 * Context: the trap.
 * Return: false when no call of the task can have returned this way.
 */
bool retprobe_trap(struct site *trampoline, struct pt_regs *regs)
{
	struct utask *utask = utask_own();
	struct uret_instance *inst;

	if (unlikely(!utask))
		return trap_closer(NULL, trampoline, regs);
	inst = instance_at(utask, regs->sp - sizeof(long));
	if (unlikely(!inst || inst->trampoline != trampoline->key.addr ||
		     inst->word != sizeof(long)))
		return trap_closer(utask, trampoline, regs);
	/* Of two it may be the other one. */
	if (utask->nr_instances > 1 && unlikely(!instance_popped(inst)))
		return trap_closer(utask, trampoline, regs);
	return returned(utask, inst, regs);
}

/**
 * retprobe_run_sleepable() - call the handlers that may sleep
 * @utask: state of the current task
 * @regs: user registers, ip where the function has returned to
 *
 * Context: may sleep.
 */
void retprobe_run_sleepable(struct utask *utask, struct pt_regs *regs)
{
	struct uret_instance *inst;

	while (!hlist_empty(&utask->returning)) {
		struct consumer *c;

		inst = hlist_entry(utask->returning.first, struct uret_instance, in_task);
		hlist_del(&inst->in_task);
		c = inst->consumer;
		if (consumer_active_get(c)) {
			if (inst->again) {
				inst->ri.rp->task_handler(&inst->ri, regs);
			} else {
				consumer_hit(c);
				inst->ri.rp->handler(&inst->ri, regs);
			}
			consumer_active_put(c);
		}
		instance_spare(utask, inst);
	}
}
