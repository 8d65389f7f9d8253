// SPDX-License-Identifier: GPL-2.0
/*
 * A hit: find the site, run the consumers, go on out of line.
 *
 * hit_trap() runs in the breakpoint exception with interrupts off, which is
 * also the RCU read side that keeps sites, sets and atomic consumers.  What
 * must not happen there (sleeping, faulting, allocating) is left to task work,
 * which the task runs on its way back to user mode, before any signal is
 * delivered; the user's ip is the probed instruction's until then.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "breakpoint.h"
#include "compat.h"
#include "hit.h"
#include "image.h"
#include "retprobe.h"
#include "signal.h"
#include "task.h"

static void hit_resume(struct utask *utask, struct site *site, struct pt_regs *regs)
{
	if (unlikely(site->step)) {
		/* release_tasks() sees both or none. */
		preempt_disable();
		arch_step_begin(&site->plan, site->key.addr, site->slot_key.addr, &utask->step,
				regs);
		utask->stepping = site;
		preempt_enable();
	} else if (ssol_is_skip(&site->plan) && !arch_stepped(regs->flags)) {
		regs->ip = site->key.addr + ssol_len(&site->plan);
	} else {
		regs->ip = site->slot_key.addr;
	}
}

/* What takes a state of the task cannot be done for this hit. */
static void hit_missed(const struct consumer_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (!set->consumers[i]->atomic || set->consumers[i]->type == CONSUMER_RETURN)
			consumer_missed(set->consumers[i]);
	}
}

static struct consumer_set *hit_set_get(struct site *site)
{
	struct consumer_set *set;

	rcu_read_lock();
	set = rcu_dereference(site->set);
	if (set && !refcount_inc_not_zero(&set->refs))
		set = NULL;
	rcu_read_unlock();
	return set;
}

static DEFINE_PER_CPU(bool, again_wanted);

/**
 * hit_again() - the running atomic handler wants task context
 *
 * Context: any; of effect in the trap only.
 */
void hit_again(void)
{
	if (irqs_disabled())
		this_cpu_write(again_wanted, true);
}

/* Whether the atomic handler that has just returned does.  Context: the trap. */
bool hit_again_asked(void)
{
	if (likely(!this_cpu_read(again_wanted)))
		return false;
	this_cpu_write(again_wanted, false);
	return true;
}

/* Runs the atomic handlers; a bit is set for each that asks for task context. */
static u64 hit_run_atomic(const struct consumer_set *set, struct pt_regs *regs)
{
	unsigned int i;
	u64 again = 0;

	for (i = 0; i < set->nr; i++) {
		struct consumer *c = set->consumers[i];

		if (!c->atomic || c->type != CONSUMER_ENTRY || !READ_ONCE(c->live))
			continue;
		consumer_hit(c);
		c->u->handler(c->u, regs);
		if (likely(!hit_again_asked()) || !c->u->task_handler)
			continue;
		if (i < 64)
			again |= BIT_ULL(i);
		else
			consumer_hit_missed(c);
	}
	return again;
}

static void hit_again_missed(const struct consumer_set *set, u64 mask)
{
	unsigned int i;

	for (i = 0; i < set->nr && i < 64; i++) {
		if (mask & BIT_ULL(i))
			consumer_hit_missed(set->consumers[i]);
	}
}

/* Remembers which task handlers are to be called; HIT_AGAIN, or 0. */
static unsigned int hit_note_again(struct utask *utask, struct consumer_set *set, u64 mask)
{
	if (!utask || !refcount_inc_not_zero(&set->refs)) {
		hit_again_missed(set, mask);
		return 0;
	}
	utask->again_set = set;
	utask->again_mask = mask;
	return HIT_AGAIN;
}

static void hit_run_again(struct consumer_set *set, u64 mask, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < set->nr && i < 64; i++) {
		struct consumer *c = set->consumers[i];

		if (!(mask & BIT_ULL(i)))
			continue;
		if (consumer_active_get(c)) {
			c->u->task_handler(c->u, regs);
			consumer_active_put(c);
		}
	}
}

static void hit_run_sleepable(struct consumer_set *set, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		struct consumer *c = set->consumers[i];

		if (c->atomic || c->type != CONSUMER_ENTRY || !consumer_active_get(c))
			continue;
		consumer_hit(c);
		c->u->handler(c->u, regs);
		consumer_active_put(c);
	}
}

static void hit_work(struct callback_head *work)
{
	struct utask *utask = container_of(work, struct utask, hit_work);
	struct pt_regs *regs = task_pt_regs(current);
	struct consumer_set *again_set = utask->again_set;
	u64 again_mask = utask->again_mask;
	struct site *site = utask->site;
	unsigned int what = utask->defer;
	bool signalled = utask->signalled;

	utask->hit_queued = false;
	utask->signalled = false;
	utask->again_set = NULL;
	if (unlikely(what & HIT_GIVE_UP)) {
		site_give_up(site);
	} else if (likely(!utask->exited && current->mm)) {
		utask->in_handler = true;
		if (what & HIT_RETURN)
			retprobe_run_sleepable(utask, regs);
		if (what & (HIT_ENTRY | HIT_PREPARE | HIT_AGAIN)) {
			struct consumer_set *set = hit_set_get(site);

			if (what & HIT_AGAIN)
				hit_run_again(again_set, again_mask, regs);
			if (set && what & HIT_ENTRY)
				hit_run_sleepable(set, regs);
			if (set && what & HIT_PREPARE) {
				if (regs->ip == site->key.addr)
					retprobe_prepare_sleepable(utask, site, set, regs);
				else
					retprobe_missed(set);
			}
			consumer_set_put(set);
			/* With no breakpoint there any more, it is executed there. */
			if (regs->ip == site->key.addr &&
			    READ_ONCE(site->state) != SITE_IDLE) {
				/* It may have been preempted: let the kernel see. */
				if (signalled || compat_in_rseq())
					signal_postpone(utask, site, regs);
				else
					hit_resume(utask, site, regs);
			}
		}
	}
	utask->in_handler = false;
	if (what & HIT_AGAIN)
		consumer_set_put(again_set);
	utask_work_done(utask);
	task_work_end();
}

/**
 * hit_defer() - leave the rest of a hit to task context
 * @utask: state of the current task
 * @what: HIT_*
 *
 * Context: the trap.
 * Return: 0, or -ESRCH when the task will not run user code again.
 */
int hit_defer(struct utask *utask, unsigned int what)
{
	int ret;

	utask->defer = what;
	utask->hit_queued = true;
	ret = task_work_begin(current, &utask->hit_work, hit_work);
	if (ret)
		utask->hit_queued = false;
	return ret;
}

/*
 * A call whose slot pushes the return address would be caught by the task's
 * shadow stack.  Nothing has been done for the hit: the breakpoint goes, and
 * the task executes the call where it is.
 */
static void hit_give_up(struct site *site, struct consumer_set *set)
{
	struct utask *utask = utask_get(current);
	unsigned int i;

	for (i = 0; set && i < set->nr; i++)
		consumer_missed(set->consumers[i]);
	if (!utask)
		return;
	utask->site = site;
	hit_defer(utask, HIT_GIVE_UP);
}

/**
 * enum late - what a trap at a site that is not armed may be
 * @LATE_FOREIGN: somebody else's breakpoint is there
 * @LATE_REMOVED: none is; the trap was under way when ours was removed.  The
 *	task is to execute what is there now
 * @LATE_COPIED: ours is there, as the program has copied its own text to where
 *	it unmapped it (as is done to have it in huge pages)
 */
enum late {
	LATE_FOREIGN,
	LATE_REMOVED,
	LATE_COPIED,
};

static enum late hit_late(const struct site *site)
{
	u8 text[UINSN_MAX_LEN];
	unsigned int len = ssol_len(&site->plan);

	if (copy_from_user_nofault(text, (void __user *)site->key.addr, len))
		return LATE_FOREIGN;
	/* In place again since the state was looked at: let it trap again. */
	smp_rmb();
	if (text[0] != ARCH_BREAKPOINT || READ_ONCE(site->state) == SITE_ARMED)
		return LATE_REMOVED;
	if (READ_ONCE(site->state) == SITE_LOST && text_same(text + 1, site->plan.text + 1, len - 1))
		return LATE_COPIED;
	return LATE_FOREIGN;
}

/*
 * The program executes in 32-bit code what was analysed as 64-bit code, or the
 * other way round: other instructions.  The breakpoint goes, and they run.
 */
static bool hit_misread(struct site *site, struct pt_regs *regs, unsigned long addr)
{
	if (arch_code_mode(regs) < 0)
		return false;
	regs->ip = addr;
	hit_give_up(site, rcu_dereference(site->set));
	return true;
}

/**
 * hit_trap() - handle the breakpoint trap of a user task
 * @regs: its registers, ip after the breakpoint
 * @addr: address of the breakpoint
 *
 * Context: the trap.
 * Return: whether the breakpoint was ours.
 */
bool hit_trap(struct pt_regs *regs, unsigned long addr)
{
	struct utask *utask = NULL;
	struct consumer_set *set;
	unsigned int defer = 0;
	struct site *site;
	bool ours = true;
	u64 again;

	rcu_read_lock();
	site = site_find(current->mm, addr);
	if (!site) {
		ours = false;
		goto out;
	}
	if (site->kind == SITE_TRAMPOLINE) {
		ours = retprobe_trap(site, regs);
		goto out;
	}
	if (unlikely(READ_ONCE(site->state) != SITE_ARMED)) {
		enum late late = hit_late(site);

		if (late != LATE_COPIED) {
			ours = late == LATE_REMOVED;
			if (ours)
				regs->ip = addr;
			goto out;
		}
	}

	if (unlikely(arch_code_mode(regs) != (int)site->image->mode)) {
		ours = hit_misread(site, regs, addr);
		goto out;
	}

	regs->ip = addr;
	set = rcu_dereference(site->set);
	if (unlikely(site->plan.pushes_return && arch_stack_fixed())) {
		hit_give_up(site, set);
		goto out;
	}
	if (site->step || (set && (set->nr_sleepable || set->nr_return))) {
		utask = utask_get(current);
		if (unlikely(!utask)) {
			/*
			 * A step cannot do without; nothing has been done yet,
			 * so the breakpoint may be executed again, with the
			 * refill on its way.
			 */
			if (site->step)
				goto out;
			hit_missed(set);
		}
	}
	if (unlikely(READ_ONCE(site->image->resumptions))) {
		struct utask *self = utask_find(current);

		if (self && signal_resumed(self, site, regs))
			set = NULL;
	}
	if (unlikely(!set)) {
		hit_resume(utask, site, regs);
		goto out;
	}

	again = set->nr_atomic ? hit_run_atomic(set, regs) : 0;
	if (unlikely(regs->ip != addr)) {
		hit_again_missed(set, again);
		if (utask)
			hit_missed(set);
		goto out;
	}
	if (unlikely(again)) {
		if (!utask)
			utask = utask_get(current);
		defer |= hit_note_again(utask, set, again);
	}

	if (unlikely(!utask && (set->nr_sleepable || set->nr_return)))
		goto resume;
	if (set->nr_sleepable)
		defer |= HIT_ENTRY;
	/* After the sleepable handlers, if there are any: they may change ip. */
	if (set->nr_return &&
	    (defer || set->nr_return_in_task || !retprobe_prepare(utask, site, set, regs)))
		defer |= HIT_PREPARE;
	if (defer) {
		utask->site = site;
		if (!hit_defer(utask, defer))
			goto out;
		if (defer & HIT_AGAIN) {
			utask->again_set = NULL;
			consumer_set_put(set);
		}
	}
resume:
	hit_resume(utask, site, regs);
out:
	rcu_read_unlock();
	return ours;
}

/**
 * hit_step() - handle the single-step trap of a user task
 * @regs: its registers
 *
 * Context: the trap.
 * Return: true when the program is to know nothing of it: it was a step of
 * ours, or one of somebody else's (a debugger, the program) that has not come
 * to the end of a slot.
 */
bool hit_step(struct pt_regs *regs)
{
	struct utask *utask = utask_find(current);
	const struct image *image;
	bool hide;

	if (utask && utask->stepping) {
		const struct site *site = utask->stepping;

		if (!arch_step_end(&site->plan, site->key.addr, site->slot_key.addr,
				   &utask->step, regs))
			return true;
		/*
		 * A return address that could not be corrected is that of the
		 * jump behind the copy, which leads to the right place.
		 */
		utask->stepping = NULL;
		return !arch_stepped(utask->step.flags);
	}

	rcu_read_lock();
	image = image_lookup(current->mm);
	hide = image && site_of_slot(image, regs->ip);
	rcu_read_unlock();
	return hide;
}
