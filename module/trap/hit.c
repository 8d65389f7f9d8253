// SPDX-License-Identifier: GPL-2.0
/*
 * A hit: find the site, run the consumers, go on out of line.
 *
 * hit_trap() runs in the breakpoint exception with interrupts off, which is
 * also the RCU read side that keeps sites, sets and atomic consumers.  What
 * must not happen there (sleeping, faulting, allocating) is left to task work
 * (hit_work.c).
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "hit.h"
#include "arch.h"
#include "hit_work.h"
#include "resume.h"
#include "signal.h"
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

/* Runs the atomic handlers; a bit is set for each that asks for task context. */
static u64 hit_run_atomic(const struct consumer_set *set, struct pt_regs *regs)
{
	unsigned int i = 0;
	u64 again = 0;

	do {
		struct consumer *c = set->consumers[i];

		if (!c->atomic_entry || !READ_ONCE(c->run.live))
			continue;
		consumer_hit(c);
		c->u->handler(c->u, regs);
		if (unlikely(this_cpu_read(task_handler_wanted)))
			again |= task_handler_bit(c, i);
	} while (++i < set->nr);
	return again;
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
	utask->hit.site = site;
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
static bool hit_was_passed_on(const struct site *site, const struct pt_regs *regs)
{
	struct utask *utask = utask_find(current);
	const struct site *handed;

	if (!utask)
		return false;
	handed = utask->passed_on.told;
	utask->passed_on.told = NULL;
	return handed == site && utask->passed_on.sp == regs->sp;
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
		utask->hit.site = site;
		if (!utask_defer(utask, HIT_TASK_HANDLERS))
			return NOTIFY_STOP;
		utask->hit.handlers = NULL;
		consumer_set_put(set);
	}
	resume_unstepped(site, regs);
	return NOTIFY_STOP;
}

/**
 * struct hit - a hit on its way through the steps of hit_in_full()
 * @site: where it is
 * @regs: user registers
 * @set: who is to be called, or NULL
 * @utask: state of the current task; NULL if nothing needs one, or there is no memory
 * @defer: what is left to task context, HIT_*
 * @shared: somebody else has a breakpoint there, too
 */
struct hit {
	struct site *site;
	struct pt_regs *regs;
	struct consumer_set *set;
	struct utask *utask;
	unsigned int defer;
	bool shared;
};

/*
 * Gets the state of the task if the hit needs one.  False if the breakpoint has to be executed
 * again, with the refill on its way: nothing has been done yet.
 */
static bool hit_get_state(struct hit *hit)
{
	const struct consumer_set *set = hit->set;
	bool retry = set && set->retry_on_nomem;

	if (!hit->site->step && !retry && !(set && (set->nr_sleepable || set->nr_return)))
		return true;
	hit->utask = utask_get(current);
	if (likely(hit->utask))
		return true;
	/* A step cannot do without. */
	if (retry || (hit->site->step && !hit->shared))
		return false;
	if (set)
		hit_missed(set);
	return true;
}

/* Whether the hit has been counted before: a signal came, or a tracer has the task step over it. */
static bool hit_was_counted(const struct hit *hit)
{
	const struct site *site = hit->site;
	bool counted = false;

	if (unlikely(READ_ONCE(site->pmm->resumptions))) {
		struct utask *utask = utask_find(current);

		counted = utask && signal_resumed(utask, site, hit->regs);
	}
	if (unlikely(READ_ONCE(site->pmm->passed_on)) && !hit->shared)
		counted |= hit_was_passed_on(site, hit->regs);
	return counted;
}

/* Calls the atomic handlers.  False if one of them has sent the task elsewhere. */
static bool hit_call_atomic(struct hit *hit)
{
	struct consumer_set *set = hit->set;
	u64 asked = set->nr_atomic ? hit_run_atomic(set, hit->regs) : 0;

	if (unlikely(hit->regs->ip != hit->site->key.addr)) {
		task_handlers_missed(set, asked);
		if (hit->utask)
			hit_missed(set);
		return false;
	}
	if (unlikely(asked)) {
		/* What has been missed above stays so. */
		if (!hit->utask && !set->nr_sleepable && !set->nr_return)
			hit->utask = utask_get(current);
		hit->defer |= task_handlers_note(hit->utask, set, asked);
	}
	return true;
}

/* Leaves the rest to task context; false if the task will not run user code again. */
static bool hit_leave_rest(struct hit *hit)
{
	hit->utask->hit.site = hit->site;
	if (!utask_defer(hit->utask, hit->defer))
		return true;
	if (hit->defer & HIT_TASK_HANDLERS) {
		hit->utask->hit.handlers = NULL;
		consumer_set_put(hit->set);
	}
	return false;
}

/*
 * Passes the trap on: somebody else has a breakpoint there, too, and sees to it that the
 * instruction is executed, one way or another: before the handlers that may sleep run.  They
 * get a copy of the registers, and can change nothing.
 */
static bool hit_pass_on(struct hit *hit)
{
	const struct consumer_set *set = hit->set;
	struct pt_regs *regs = hit->regs;

	/*
	 * The return address stays where it is until the function returns. Ours comes last, over
	 * the trampoline of the kernel's return probes if there are any, and so is popped first.
	 */
	ret_addrs_lift(hit->site->pmm, regs, !set || !set->nr_return);
	if (set && set->nr_return && hit->utask)
		hit->defer |= HIT_PREPARE;
	if (set && set->nr_sleepable && hit->utask)
		hit->defer |= HIT_ENTRY;
	if (hit->defer) {
		hit->utask->hit.shared = true;
		hit->utask->hit.shared_regs = *regs;
		if (!hit_leave_rest(hit))
			hit->utask->hit.shared = false;
	}
	if (current->ptrace && !hit->utask)
		hit->utask = utask_get(current);
	if (current->ptrace && hit->utask) {
		hit->utask->passed_on.site = hit->site;
		hit->utask->passed_on.sp = regs->sp;
	}
	regs->ip += ARCH_BREAKPOINT_LEN;
	return false;
}

/* Has the return of the function seen, and finds out whether anything is left to task context. */
static bool hit_needs_task(struct hit *hit)
{
	const struct consumer_set *set = hit->set;

	if (unlikely(!hit->utask && (set->nr_sleepable || set->nr_return)))
		return false;
	if (set->nr_sleepable)
		hit->defer |= HIT_ENTRY;
	/* After the sleepable handlers, if there are any: they may change ip. */
	if (set->nr_return && (hit->defer || set->nr_return_in_task ||
			       !uretprobe_prepare(hit->utask, hit->site, set, hit->regs)))
		hit->defer |= HIT_PREPARE;
	return hit->defer;
}

/*
 * What a hit means, step by step.  The short ways in hit_trap() come to the same.  False if the
 * trap is somebody else's, or theirs, too.
 */
static noinline bool hit_in_full(struct site *site, struct pt_regs *regs)
{
	struct hit hit = { .site = site, .regs = regs };
	enum late late = LATE_COPIED;

	if (site->kind == SITE_TRAMPOLINE)
		return handle_trampoline(site, regs);
	if (unlikely(READ_ONCE(site->state) != SITE_ARMED))
		late = hit_late(site);
	if (unlikely(late == LATE_FOREIGN))
		return false;
	if (unlikely(late == LATE_REMOVED)) {
		regs->ip = site->key.addr;
		return true;
	}
	if (unlikely(arch_code_mode(regs) != (int)site->pmm->mode))
		return hit_misread(site, regs);
	regs->ip = site->key.addr;
	hit.set = rcu_dereference(site->set);
	hit.shared = READ_ONCE(site->owner) != OWNER_OURS;
	if (unlikely(site->plan.pushes_return && arch_stack_fixed() && !hit.shared)) {
		hit_in_place(site, hit.set);
		return true;
	}
	if (unlikely(!hit_get_state(&hit)))
		return true;
	if (unlikely(hit_was_counted(&hit)))
		hit.set = NULL;
	if (hit.set && !hit_call_atomic(&hit))
		return true;
	if (unlikely(hit.shared))
		return hit_pass_on(&hit);
	if (hit.set && hit_needs_task(&hit) && hit_leave_rest(&hit))
		return true;
	resume_at(hit.utask, site, regs);
	return true;
}

/* The usual case of a handler that may sleep: it is the only one. */
static noinline int hit_in_task(struct site *site, struct consumer *c, struct pt_regs *regs)
{
	struct utask *utask = utask_own() ?: utask_get(current);

	regs->ip = site->key.addr;
	if (unlikely(!utask)) {
		consumer_missed(c);
	} else if (likely(percpu_ref_tryget_live_rcu(&c->run.active))) {
		utask->hit.site = site;
		utask->hit.only = c;
		if (likely(!utask_defer(utask, HIT_ONE)))
			return NOTIFY_STOP;
		consumer_active_put(c);
	}
	resume_unstepped(site, regs);
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
	resume_unstepped(site, regs);
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

	if (utask && utask->signals.delayed) {
		signal_delay_step(utask, regs);
		return true;
	}
	if (utask && utask->step.site) {
		site = utask->step.site;
		/* Who else steps sees each round of a repeated string instruction. */
		if (!arch_step_end(&site->plan, site->key.addr, site->slot,
				   &utask->step.state, regs))
			return !arch_stepped(utask->step.state.flags);
		/*
		 * A return address that could not be corrected is that of the
		 * jump behind the copy, which leads to the right place.
		 */
		utask->step.site = NULL;
		if (utask->signals.delays)
			signal_delay_end(utask, regs);
		return !arch_stepped(utask->step.state.flags);
	}

	/* The tracer has had it step over a copy of the instruction, elsewhere. */
	if (utask)
		utask->passed_on.told = NULL;
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	site = pmm ? site_of_slot(pmm, regs->ip) : NULL;
	hide = site && !(regs->ip == site->slot && site->plan.insn.class == UINSN_STRING);
	rcu_read_unlock();
	return hide;
}
