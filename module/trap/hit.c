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

#include "hit.h"
#include "arch.h"
#include "signal.h"
#include "attach/attach.h"
#include "attach/unwinder.h"
#include "base/compat.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/slots.h"
#include "core/task.h"
#include "core/task_handler.h"
#include "text/late_trap.h"
#include "text/owner.h"
#include "uret/unhijack.h"
#include "uret/uretprobe.h"
#include "uret/uretprobe_return.h"

/* release_tasks() sees both or none. */
static noinline void hit_step_begin(struct utask *utask, struct site *site, struct pt_regs *regs)
{
	preempt_disable();
	arch_step_begin(&site->plan, site->key.addr, site->slot, &utask->step, regs);
	utask->stepping = site;
	preempt_enable();
}

/* A tracer that single-steps the task needs something to step: the slot, even of a nop. */
static __always_inline void hit_resume_unstepped(const struct site *site, struct pt_regs *regs)
{
	regs->ip = likely(!arch_stepped(regs->flags)) ? site->resume : site->slot;
}

static void hit_resume(struct utask *utask, struct site *site, struct pt_regs *regs)
{
	if (unlikely(site->step))
		hit_step_begin(utask, site, regs);
	else
		hit_resume_unstepped(site, regs);
}

/*
 * All but atomic entry handlers miss the hit: there is no utask, or one of those has sent the
 * task elsewhere.
 */
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
	/* One that has gone since it was read has been replaced. */
	do {
		set = rcu_dereference(site->set);
	} while (set && !consumer_set_get(set));
	rcu_read_unlock();
	return set;
}

/* Runs the atomic handlers; a bit is set for each that asks for task context. */
static u64 hit_run_atomic(const struct consumer_set *set, struct pt_regs *regs)
{
	unsigned int i = 0;
	u64 again = 0;

	do {
		struct consumer *c = set->consumers[i];

		if (!c->atomic_entry || !READ_ONCE(c->live))
			continue;
		consumer_hit(c);
		c->u->handler(c->u, regs);
		if (unlikely(this_cpu_read(task_handler_wanted)))
			again |= task_handler_bit(c, i);
	} while (++i < set->nr);
	return again;
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

/* In a restartable sequence the ip stays at the breakpoint, for the kernel to abort it. */
static __always_inline void hit_resume_in_task(struct utask *utask, struct site *site,
					       struct pt_regs *regs, bool signalled)
{
	/* With no breakpoint there any more, it is executed there. */
	if (regs->ip != site->key.addr || READ_ONCE(site->state) == SITE_IDLE)
		return;
	if (unlikely(signalled))
		signal_note_resumption(site, regs);
	else if (unlikely(compat_in_rseq_sleepable()))
		signal_postpone(utask, site, regs);
	else
		hit_resume(utask, site, regs);
}

/* Calls the only handler, unless the task is at its end (@alive is false). */
static __always_inline void hit_work_one(struct utask *utask, struct pt_regs *regs,
					 bool signalled, bool alive)
{
	struct consumer *c = utask->only;

	utask->hit_queued = false;
	if (alive) {
		utask->in_handler = true;
		consumer_hit(c);
		c->u->handler(c->u, regs);
		utask->in_handler = false;
		hit_resume_in_task(utask, utask->site, regs, signalled);
	}
	consumer_active_put(c);
	if (!alive)
		utask_work_done(utask);
	task_work_end();
}

static noinline void hit_work_unusual(struct utask *utask, struct pt_regs *regs)
{
	bool signalled = utask->signalled;

	utask->signalled = false;
	hit_work_one(utask, regs, signalled, !utask->exited && current->mm);
}

static noinline void hit_work_many(struct utask *utask, struct pt_regs *regs)
{
	bool shared = utask->shared;
	struct consumer_set *task_handlers_set = utask->task_handlers_set;
	u64 task_handlers_mask = utask->task_handlers_mask;
	struct site *site = utask->site;
	unsigned int what = utask->defer;
	bool signalled = utask->signalled;

	utask->hit_queued = false;
	utask->signalled = false;
	utask->shared = false;
	utask->task_handlers_set = NULL;
	if (shared)
		regs = &utask->shared_regs;
	if (unlikely(what & HIT_IN_PLACE)) {
		site_remove_breakpoint(site);
	} else if (unlikely(utask->exited || !current->mm)) {
		uretprobe_drop_returning(utask);
	} else {
		utask->in_handler = true;
		if (unlikely(what & HIT_SEARCH))
			uretprobe_search(utask, regs);
		if (what & HIT_RETURN)
			uretprobe_run_sleepable(utask, regs);
		if (what & (HIT_ENTRY | HIT_PREPARE | HIT_TASK_HANDLERS)) {
			struct consumer_set *set = hit_set_get(site);

			if (what & HIT_TASK_HANDLERS)
				task_handlers_run(task_handlers_set, task_handlers_mask, regs);
			if (set && what & HIT_ENTRY)
				hit_run_sleepable(set, regs);
			if (set && what & HIT_PREPARE) {
				if (regs->ip == site->key.addr) {
					unwinder_seek(site->pmm);
					uretprobe_prepare_sleepable(utask, site, set, regs);
				} else {
					uretprobe_missed(set);
				}
			}
			consumer_set_put(set);
			if (!shared)
				hit_resume_in_task(utask, site, regs, signalled);
		}
	}
	utask->in_handler = false;
	if (what & HIT_TASK_HANDLERS)
		consumer_set_put(task_handlers_set);
	utask_work_done(utask);
	task_work_end();
}

/**
 * hit_work() - the rest of a hit
 * @work: utask::hit_work
 *
 * Context: the task itself, on its way to user mode; may sleep.
 */
void hit_work(struct callback_head *work)
{
	struct utask *utask = container_of(work, struct utask, hit_work);
	struct pt_regs *regs = task_pt_regs(current);

	if (unlikely(utask->defer != HIT_ONE))
		hit_work_many(utask, regs);
	else if (unlikely(utask->signalled || utask->exited || !current->mm))
		hit_work_unusual(utask, regs);
	else
		hit_work_one(utask, regs, false, true);
}

/*
 * A call whose slot pushes the return address would be caught by the task's
 * shadow stack.  Nothing has been done for the hit: the breakpoint goes, and
 * the task executes the call where it is.
 */
static void hit_in_place(struct site *site, struct consumer_set *set)
{
	struct utask *utask = utask_get(current);
	unsigned int i;

	for (i = 0; set && i < set->nr; i++)
		consumer_missed(set->consumers[i]);
	if (!utask)
		return;
	utask->site = site;
	utask_defer(utask, HIT_IN_PLACE);
}

/*
 * The program executes in 32-bit code what was analysed as 64-bit code, or the
 * other way round: other instructions.  The breakpoint goes, and they run.
 */
static bool hit_misread(struct site *site, struct pt_regs *regs)
{
	regs->ip -= ARCH_BREAKPOINT_LEN;
	hit_in_place(site, rcu_dereference(site->set));
	return true;
}

/*
 * In a segment of the program's own making addresses count from anywhere, so that no slot is
 * gone to from there: the same.
 */
static noinline int hit_in_segment(struct pt_regs *regs)
{
	struct site *site = site_find(current->mm, arch_code_addr(regs) - ARCH_BREAKPOINT_LEN);
	enum late late = LATE_COPIED;

	if (!site || site->kind != SITE_PROBE)
		return NOTIFY_DONE;
	if (READ_ONCE(site->state) != SITE_ARMED)
		late = hit_late(site);
	if (late == LATE_FOREIGN)
		return NOTIFY_DONE;
	if (late == LATE_COPIED)
		hit_misread(site, regs);
	else
		regs->ip -= ARCH_BREAKPOINT_LEN;
	return NOTIFY_STOP;
}

/* Whether the task's tracer has been handed this hit, and has it step over. */
static bool hit_handed(const struct site *site, const struct pt_regs *regs)
{
	struct utask *utask = utask_find(current);
	const struct site *handed;

	if (!utask)
		return false;
	handed = utask->handed;
	utask->handed = NULL;
	return handed == site && utask->handed_sp == regs->sp;
}

/*
 * Somebody else has a breakpoint there, too, and sees to it that the
 * instruction is executed, one way or another: before the handlers that may
 * sleep run.  They get a copy of the registers, and can change nothing.
 */
static bool hit_share(struct utask *utask, struct site *site, struct consumer_set *set,
		      struct pt_regs *regs, unsigned int defer)
{
	/*
	 * The return address stays where it is until the function returns. Ours comes last, over
	 * the trampoline of the kernel's return probes if there are any, and so is popped first.
	 */
	ret_addrs_lift(site->pmm, regs, !set || !set->nr_return);
	if (set && set->nr_return && utask)
		defer |= HIT_PREPARE;
	if (set && set->nr_sleepable && utask)
		defer |= HIT_ENTRY;
	if (defer) {
		utask->site = site;
		utask->shared = true;
		utask->shared_regs = *regs;
		if (utask_defer(utask, defer)) {
			utask->shared = false;
			if (defer & HIT_TASK_HANDLERS) {
				utask->task_handlers_set = NULL;
				consumer_set_put(set);
			}
		}
	}
	if (current->ptrace && !utask)
		utask = utask_get(current);
	if (current->ptrace && utask) {
		utask->handing = site;
		utask->handed_sp = regs->sp;
	}
	regs->ip += ARCH_BREAKPOINT_LEN;
	return false;
}

/*
 * The rest of a hit whose only handler, an atomic one, has been called and has
 * asked for something.
 */
static noinline int hit_atomic_rest(struct site *site, struct consumer_set *set,
				    struct pt_regs *regs)
{
	u64 again = this_cpu_read(task_handler_wanted) ? task_handler_bit(set->consumers[0], 0) : 0;
	struct utask *utask;

	if (regs->ip != site->key.addr) {
		task_handlers_missed(set, again);
		return NOTIFY_STOP;
	}
	utask = again ? utask_get(current) : NULL;
	/* No memory, whose refill is on its way: once more. No other consumer is called twice. */
	if (unlikely(again && !utask && set->retry_on_nomem))
		return NOTIFY_STOP;
	if (again && task_handlers_note(utask, set, again)) {
		utask->site = site;
		if (!utask_defer(utask, HIT_TASK_HANDLERS))
			return NOTIFY_STOP;
		utask->task_handlers_set = NULL;
		consumer_set_put(set);
	}
	hit_resume_unstepped(site, regs);
	return NOTIFY_STOP;
}

/* All that hit_trap() does not know at a fast_state to be the usual case. */
static noinline bool hit_in_full(struct site *site, struct pt_regs *regs)
{
	const unsigned long addr = site->key.addr;
	struct utask *utask = NULL;
	struct consumer_set *set;
	unsigned int defer = 0;
	bool shared, retry_on_nomem;
	u64 again;

	if (site->kind == SITE_TRAMPOLINE)
		return handle_trampoline(site, regs);
	if (unlikely(READ_ONCE(site->state) != SITE_ARMED)) {
		enum late late = hit_late(site);

		if (late != LATE_COPIED) {
			if (late != LATE_REMOVED)
				return false;
			regs->ip = addr;
			return true;
		}
	}

	if (unlikely(arch_code_mode(regs) != (int)site->pmm->mode))
		return hit_misread(site, regs);

	regs->ip = addr;
	set = rcu_dereference(site->set);
	shared = READ_ONCE(site->owner) != OWNER_OURS;
	if (unlikely(site->plan.pushes_return && arch_stack_fixed() && !shared)) {
		hit_in_place(site, set);
		return true;
	}
	retry_on_nomem = set && set->retry_on_nomem;
	if (site->step || retry_on_nomem || (set && (set->nr_sleepable || set->nr_return))) {
		utask = utask_get(current);
		if (unlikely(!utask)) {
			/*
			 * A step cannot do without, nor can who retry_on_nomem;
			 * nothing has been done yet, so the breakpoint may be
			 * executed again, with the refill on its way.
			 */
			if (retry_on_nomem || (site->step && !shared))
				return true;
			if (set)
				hit_missed(set);
		}
	}
	if (unlikely(READ_ONCE(site->pmm->resumptions))) {
		struct utask *self = utask_find(current);

		if (self && signal_resumed(self, site, regs))
			set = NULL;
	}
	if (unlikely(READ_ONCE(site->pmm->handed)) && !shared && hit_handed(site, regs))
		set = NULL;
	if (unlikely(!set))
		goto resume;

	again = set->nr_atomic ? hit_run_atomic(set, regs) : 0;
	if (unlikely(regs->ip != addr)) {
		task_handlers_missed(set, again);
		if (utask)
			hit_missed(set);
		return true;
	}
	if (unlikely(again)) {
		/* What has been missed above stays so. */
		if (!utask && !set->nr_sleepable && !set->nr_return)
			utask = utask_get(current);
		defer |= task_handlers_note(utask, set, again);
	}

	if (unlikely(shared))
		return hit_share(utask, site, set, regs, defer);
	if (unlikely(!utask && (set->nr_sleepable || set->nr_return)))
		goto resume;
	if (set->nr_sleepable)
		defer |= HIT_ENTRY;
	/* After the sleepable handlers, if there are any: they may change ip. */
	if (set->nr_return &&
	    (defer || set->nr_return_in_task ||
	     !uretprobe_prepare(utask, site, set, regs)))
		defer |= HIT_PREPARE;
	if (defer) {
		utask->site = site;
		if (!utask_defer(utask, defer))
			return true;
		if (defer & HIT_TASK_HANDLERS) {
			utask->task_handlers_set = NULL;
			consumer_set_put(set);
		}
	}
resume:
	if (unlikely(shared))
		return hit_share(utask, site, NULL, regs, 0);
	hit_resume(utask, site, regs);
	return true;
}

/* The usual case of a handler that may sleep: it is the only one. */
static noinline int hit_in_task(struct site *site, struct consumer *c, struct pt_regs *regs)
{
	struct utask *utask = utask_own() ?: utask_get(current);

	regs->ip = site->key.addr;
	if (unlikely(!utask)) {
		consumer_missed(c);
	} else if (likely(percpu_ref_tryget_live_rcu(&c->active))) {
		utask->site = site;
		utask->only = c;
		if (likely(!utask_defer(utask, HIT_ONE)))
			return NOTIFY_STOP;
		consumer_active_put(c);
	}
	hit_resume_unstepped(site, regs);
	return NOTIFY_STOP;
}

/* The usual case of a return probe. */
static noinline int hit_return(struct site *site, struct consumer *c, struct pt_regs *regs)
{
	if (likely(uretprobe_enter(site, c, regs)) ||
	    (uretprobe_learn(site, regs) && uretprobe_enter(site, c, regs)))
		return NOTIFY_STOP;
	return hit_in_full(site, regs) ? NOTIFY_STOP : NOTIFY_DONE;
}

/* What is less usual than the only handler being an atomic one. */
static noinline int hit_by_way(struct site *site, struct consumer_set *set, struct pt_regs *regs)
{
	enum dispatch way = READ_ONCE(set->dispatch);

	if (way == DISPATCH_TASK)
		return hit_in_task(site, set->consumers[0], regs);
	if (way == DISPATCH_RETURN)
		return hit_return(site, set->consumers[0], regs);
	return hit_in_full(site, regs) ? NOTIFY_STOP : NOTIFY_DONE;
}

/* A site that is more, or less, than a breakpoint with consumers. */
static noinline int hit_special_site(struct site *site, struct pt_regs *regs)
{
	if (likely(site->kind == SITE_TRAMPOLINE))
		return handle_trampoline(site, regs) ? NOTIFY_STOP : NOTIFY_DONE;
	return hit_in_full(site, regs) ? NOTIFY_STOP : NOTIFY_DONE;
}

/* Where no site is.  The kernel may have a return probe there. */
static noinline int hit_elsewhere(const struct pt_regs *regs)
{
	struct probed_mm *pmm = pmm_lookup(current->mm);

	if (pmm)
		ret_addrs_lift(pmm, regs, true);
	return NOTIFY_DONE;
}

/* All die events but a breakpoint in 64-bit code of a program; arguments as of hit_trap(). */
static noinline __noclone int hit_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct pt_regs *regs = arch_trap_regs(event, data);
	struct site *site;

	if (!regs)
		return arch_trap_other(event, data);
	if (unlikely(arch_code_mode(regs) < 0))
		return hit_in_segment(regs);
	site = site_find(current->mm, regs->ip - ARCH_BREAKPOINT_LEN);
	return site ? hit_special_site(site, regs) : hit_elsewhere(regs);
}

/**
 * hit_trap() - handle the breakpoint trap of a user task
 * @nb: not used
 * @event: what the kernel reports
 * @data: and what it knows of that
 *
 * Called directly by the kernel, and in an order that the compiler likes, as
 * each instruction here is one of every hit.
 *
 * Context: the trap, in the RCU read side that the kernel calls die notifiers in.
 * Return: NOTIFY_STOP when the trap was ours, NOTIFY_DONE when not.
 */
int hit_trap(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct probed_mm *pmm;
	struct consumer_set *set;
	struct pt_regs *regs;
	struct consumer *c;
	struct site *site;

	if (unlikely(!arch_trap_usual(event, data, &regs)))
		return hit_event(nb, event, data);
	site = site_find(current->mm, regs->ip - ARCH_BREAKPOINT_LEN);
	if (unlikely(!site))
		return hit_elsewhere(regs);
	set = rcu_dereference(site->set);
	pmm = site->pmm;
	/* Plain loads, compared in one instruction; a change may be seen late. */
	if (unlikely(data_race(site->fast_state) != SITE_ARMED || data_race(pmm->resumptions) ||
		     !set))
		return hit_special_site(site, regs);
	/* The same for whether its consumer is live: who disables it waits for this trap. */
	if (data_race(set->dispatch) != DISPATCH_ATOMIC)
		return hit_by_way(site, set, regs);
	c = container_of(set, struct consumer, solo);

	regs->ip = site->key.addr;
	consumer_hit(c);
	c->u->handler(c->u, regs);
	/* Where the compiler knows the segment it compares raw_cpu_read() in memory. */
	if (unlikely(raw_cpu_read(task_handler_wanted) || regs->ip != site->key.addr))
		return hit_atomic_rest(site, set, regs);
	hit_resume_unstepped(site, regs);
	return NOTIFY_STOP;
}

/**
 * hit_step() - handle the single-step trap of a user task
 * @regs: its registers
 *
 * Context: the trap.
 * Return: true when the program is to know nothing of it: it was a step of
 * ours, or one of somebody else's (a debugger, the program) that has not come
 * to the end of a slot, nor of a round of a repeated string instruction.
 */
bool hit_step(struct pt_regs *regs)
{
	struct utask *utask = utask_find(current);
	const struct probed_mm *pmm;
	const struct site *site;
	bool hide;

	if (utask && utask->held) {
		signal_held_step(utask, regs);
		return true;
	}
	if (utask && utask->stepping) {
		site = utask->stepping;
		/* Who else steps sees each round of a repeated string instruction. */
		if (!arch_step_end(&site->plan, site->key.addr, site->slot,
				   &utask->step, regs))
			return !arch_stepped(utask->step.flags);
		/*
		 * A return address that could not be corrected is that of the
		 * jump behind the copy, which leads to the right place.
		 */
		utask->stepping = NULL;
		if (utask->holds)
			signal_held_end(utask, regs);
		return !arch_stepped(utask->step.flags);
	}

	/* The tracer has had it step over a copy of the instruction, elsewhere. */
	if (utask)
		utask->handed = NULL;
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	site = pmm ? site_of_slot(pmm, regs->ip) : NULL;
	hide = site && !(regs->ip == site->slot && site->plan.insn.class == UINSN_STRING);
	rcu_read_unlock();
	return hide;
}
