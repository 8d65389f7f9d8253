// SPDX-License-Identifier: GPL-2.0
/*
 * The rest of a hit, in task context: sleepable handlers, and work that the trap could not do.
 *
 * The task runs this work on its way back to user mode, before any signal is delivered.  Until
 * then, ip is the probed instruction, unless the hit was passed on.  After a return, ip is the
 * return address; while the call is still unknown (HIT_SEARCH), the trampoline.
 */
#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "hit_work.h"
#include "resume.h"
#include "resumption.h"
#include "attach/attach.h"
#include "attach/unwinder.h"
#include "base/compat.h"
#include "core/consumer.h"
#include "core/filter.h"
#include "core/site.h"
#include "core/task.h"
#include "core/task_handler.h"
#include "jump/jump.h"
#include "uret/uretprobe.h"
#include "uret/uretprobe_return.h"

/* Call an atomic handler as in the trap.  Return whether it has asked for its task handler. */
static bool hit_call_as_trap(struct consumer *c, struct pt_regs *regs)
{
	bool asked = false;

	/* This is also the RCU read side that protects the client's structure. */
	local_irq_disable();
	if (READ_ONCE(c->run.live) && consumer_wants(c, regs)) {
		consumer_hit(c);
		if (!c->counts)
			c->u->handler(c->u, regs);
		asked = task_handler_asked() && c->u->task_handler;
	}
	local_irq_enable();
	return asked;
}

/* Call the atomic handlers of a crowded set, which the trap has left. */
static void hit_run_left(struct site *site, struct consumer_set *set, struct pt_regs *regs)
{
	unsigned int i;

	/* They may only count, or may have conditions that none of the hits meets. */
	local_irq_disable();
	jump_heat(site);
	local_irq_enable();
	for (i = 0; i < set->nr; i++) {
		struct consumer *c = set->consumers[i];

		if (!c->atomic_entry || !hit_call_as_trap(c, regs) || !consumer_active_get(c))
			continue;
		c->u->task_handler(c->u, regs);
		consumer_active_put(c);
	}
}

static void hit_run_sleepable(struct consumer_set *set, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		struct consumer *c = set->consumers[i];

		if (c->atomic || c->type != CONSUMER_ENTRY || !consumer_wants(c, regs) ||
		    !consumer_active_get(c))
			continue;
		consumer_hit(c);
		c->u->handler(c->u, regs);
		consumer_active_put(c);
	}
}

static __always_inline void resume_out_of_line(struct utask *utask, struct site *site,
					       struct pt_regs *regs)
{
	const struct jump *jump;

	/* Pairs with threads_leave(): it sees the task in the pad, or the jump is gone. */
	rcu_read_lock();
	jump = unlikely(READ_ONCE(site->jumps)) ? site_jump(site) : NULL;
	resume_at(utask, site, regs);
	if (jump)
		resume_in_pad(site, jump, regs);
	rcu_read_unlock();
}

/*
 * Resume the task after its handlers.  In a restartable sequence, leave the ip at the
 * breakpoint, so that the kernel can abort the sequence.
 */
static __always_inline void resume_in_task(struct utask *utask, struct site *site,
					   struct pt_regs *regs, bool signalled)
{
	/* If the breakpoint has been removed, the task executes the instruction in place. */
	if (regs->ip != site->key.addr || READ_ONCE(site->state) == SITE_IDLE)
		return;
	if (unlikely(signalled))
		signal_note_resumption(site, regs);
	else if (unlikely(compat_in_rseq_sleepable()))
		signal_add_resumption(utask, site, regs);
	else
		resume_out_of_line(utask, site, regs);
}

/* Call the only handler, unless the task is exiting (@alive is false). */
static __always_inline void hit_work_one(struct utask *utask, struct pt_regs *regs,
					 bool signalled, bool alive)
{
	struct consumer *c = utask->hit.only;

	utask->hit.queued = false;
	if (alive) {
		utask->hit.in_handler = true;
		consumer_hit(c);
		c->u->handler(c->u, regs);
		utask->hit.in_handler = false;
		resume_in_task(utask, utask->hit.site, regs, signalled);
	}
	consumer_active_put(c);
	if (!alive)
		utask_work_done(utask);
	task_work_end();
}

static noinline void hit_work_unusual(struct utask *utask, struct pt_regs *regs)
{
	bool signalled = utask->signals.noticed;

	utask->signals.noticed = false;
	hit_work_one(utask, regs, signalled, !utask->exited && current->mm);
}

/* Call the remaining handlers, those of each kind in the order of the set. */
static void hit_work_handlers(struct utask *utask, struct site *site, unsigned int what,
			      struct consumer_set *set, struct pt_regs *regs)
{
	if (what & HIT_TASK_HANDLERS)
		task_handlers_run(set, utask->hit.handler_mask, regs);
	if (what & HIT_ENTRY && consumer_set_crowded(set))
		hit_run_left(site, set, regs);
	if (what & HIT_ENTRY)
		hit_run_sleepable(set, regs);
	if (what & HIT_PREPARE) {
		if (regs->ip == site->key.addr) {
			if (uretprobe_can_follow(regs))
				unwinder_seek(site->pmm);
			uretprobe_prepare_sleepable(utask, site, set, regs);
		} else {
			uretprobe_missed(set, regs);
		}
	}
}

/* Do all the work that a hit has deferred, in the required order. */
static void hit_work_steps(struct utask *utask, unsigned int what, struct consumer_set *set,
			   struct pt_regs *user_regs, bool signalled)
{
	struct pt_regs *regs = utask->hit.shared ? &utask->hit.shared_regs : user_regs;
	struct site *site = utask->hit.site;

	utask->hit.in_handler = true;
	if (unlikely(what & HIT_SEARCH))
		uretprobe_search(utask, regs);
	if (what & HIT_RETURN)
		uretprobe_run_sleepable(utask, regs);
	if (what & (HIT_ENTRY | HIT_PREPARE | HIT_TASK_HANDLERS)) {
		hit_work_handlers(utask, site, what, set, regs);
		/* If the breakpoint is shared, its other owner has had the instruction executed. */
		if (regs == user_regs)
			resume_in_task(utask, site, regs, signalled);
	}
	utask->hit.in_handler = false;
}

static noinline void hit_work_many(struct utask *utask, struct pt_regs *regs)
{
	struct consumer_set *set = utask->hit.set;
	unsigned int what = utask->hit.defer;
	bool signalled = utask->signals.noticed;

	utask->hit.queued = false;
	utask->signals.noticed = false;
	utask->hit.set = NULL;
	if (unlikely(utask->exited || !current->mm))
		uretprobe_drop_returning(utask);
	else if (unlikely(what & HIT_IN_PLACE))
		site_remove_breakpoint(utask->hit.site);
	else
		hit_work_steps(utask, what, set, regs, signalled);
	utask->hit.shared = false;
	consumer_set_put(set);
	utask_work_done(utask);
	task_work_end();
}

/**
 * hit_work() - do the rest of a hit
 * @work: utask::hit.work
 *
 * Context: the task itself, on its way to user mode; may sleep.
 */
void hit_work(struct callback_head *work)
{
	struct utask *utask = container_of(work, struct utask, hit.work);
	struct pt_regs *regs = task_pt_regs(current);

	if (unlikely(utask->hit.defer != HIT_ONE))
		hit_work_many(utask, regs);
	else if (unlikely(utask->signals.noticed || utask->exited || !current->mm))
		hit_work_unusual(utask, regs);
	else
		hit_work_one(utask, regs, false, true);
}
