// SPDX-License-Identifier: GPL-2.0
/*
 * Handling a hit: find the site, call the consumers, resume out of line.
 *
 * hit_trap() runs in the breakpoint exception with interrupts off.  This is also the RCU read
 * side that protects sites, consumer sets and atomic consumers.  Work that sleeps, faults or
 * allocates is not allowed there, and is deferred to task work (hit_work.c).
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "hit.h"
#include "arch.h"
#include "asking.h"
#include "hit_work.h"
#include "resume.h"
#include "resumption.h"
#include "core/consumer.h"
#include "core/filter.h"
#include "core/pad_keys.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/slots.h"
#include "core/task.h"
#include "core/task_handler.h"
#include "jump/jump.h"
#include "jump/pad_area.h"
#include "jump/pad_trap.h"
#include "jump/ring.h"
#include "jump/timing.h"
#include "text/late_trap.h"
#include "text/owner.h"
#include "uret/ret_addrs.h"
#include "uret/uretprobe.h"
#include "uret/uretprobe_return.h"

/*
 * Count the hit as missed for all consumers except those with an atomic entry handler.  Called
 * without a utask, or if an atomic handler has changed the ip.
 */
static void hit_missed(const struct consumer_set *set, const struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		struct consumer *c = set->consumers[i];

		if ((!c->atomic || c->type == CONSUMER_RETURN) && consumer_wants(c, regs))
			consumer_missed(c);
	}
}

/* Check whether no consumer wants the hit: all have conditions, and the set is not crowded. */
static bool hit_unwanted(const struct consumer_set *set, const struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (consumer_wants(set->consumers[i], regs) || i == TRAP_CONSUMERS)
			return false;
	}
	return true;
}

/* Call the atomic handlers.  Return a bit for each one that has asked for task context. */
static u64 hit_run_atomic(const struct site *site, const struct consumer_set *set,
			  struct pt_regs *regs)
{
	unsigned int i = 0, timed = 0;
	u64 asked = 0;

	do {
		struct consumer *c = set->consumers[i];

		if (!c->atomic_entry || !READ_ONCE(c->run.live) || !consumer_wants(c, regs))
			continue;
		if (unlikely(c->timing) && !timed++ && timing_hit(c, site, regs, set->nr == 1))
			continue;
		consumer_hit(c);
		if (c->counts)
			continue;
		c->u->handler(c->u, regs);
		timing_hit_over(c);
		if (unlikely(this_cpu_read(task_handler_wanted)))
			asked |= task_handler_bit(c, i);
	} while (++i < set->nr);
	return asked;
}

/*
 * Have task context remove the breakpoint, so that the task executes the instruction in place.
 * Count the hit as missed by all consumers; no handler has been called.  Used for code of the
 * wrong mode or in a segment that the program has made, and for a call on a shadow stack.
 */
static void hit_in_place(struct site *site, struct consumer_set *set, const struct pt_regs *regs)
{
	struct utask *utask = utask_get(current);
	unsigned int i;

	/* No memory: execute the breakpoint again, the refill of the reserve is pending. */
	if (unlikely(!utask))
		return;
	for (i = 0; set && i < set->nr; i++) {
		if (consumer_wants(set->consumers[i], regs))
			consumer_missed(set->consumers[i]);
	}
	utask->hit.site = site;
	utask_defer(utask, HIT_IN_PLACE);
}

/*
 * Handle a hit in code of the wrong mode: the text was analysed as 64-bit code and is executed
 * as 32-bit code, or vice versa.  The instructions are different ones, so remove the breakpoint
 * and have them executed in place.
 */
static bool hit_misread(struct site *site, struct pt_regs *regs)
{
	regs->ip -= ARCH_BREAKPOINT_LEN;
	hit_in_place(site, rcu_dereference(site->set), regs);
	return true;
}

/*
 * Handle a trap in a code segment that the program has made.  The program has chosen the base of
 * its addresses, so the task cannot go to a slot from there.  Execute in place, as hit_misread().
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
	regs->ip -= ARCH_BREAKPOINT_LEN;
	if (late == LATE_COPIED)
		hit_in_place(site, rcu_dereference(site->set), regs);
	return NOTIFY_STOP;
}

/*
 * Defer the rest of a hit to task context, which calls the consumers of @set and no others.
 * Consumers that are registered meanwhile would see a part of the hit only.  Return false if the
 * task will not run user code again, or if the only consumer has been unregistered.
 */
static bool hit_defer(struct utask *utask, struct site *site, struct consumer_set *set,
		      unsigned int what)
{
	if (!consumer_set_get(set))
		return false;
	utask->hit.site = site;
	utask->hit.set = set;
	if (likely(!utask_defer(utask, what)))
		return true;
	utask->hit.set = NULL;
	consumer_set_put(set);
	return false;
}

/* Finish a hit whose only handler, an atomic one, has asked for task context or changed the ip. */
static noinline int hit_atomic_rest(struct site *site, struct consumer_set *set,
				    struct pt_regs *regs)
{
	u64 asked = this_cpu_read(task_handler_wanted) ? task_handler_bit(set->consumers[0], 0) : 0;
	struct utask *utask;

	if (regs->ip != site->key.addr) {
		task_handlers_missed(set, asked);
		return NOTIFY_STOP;
	}
	utask = asked ? utask_get(current) : NULL;
	/*
	 * No memory, but the refill of the reserve is pending: execute the breakpoint again.
	 * There is no other consumer that would be called twice.
	 */
	if (unlikely(asked && !utask && set->retry_on_nomem))
		return NOTIFY_STOP;
	if (unlikely(!utask)) {
		task_handlers_missed(set, asked);
	} else {
		utask->hit.handler_mask = asked;
		if (hit_defer(utask, site, set, HIT_TASK_HANDLERS))
			return NOTIFY_STOP;
	}
	resume_unstepped(site, regs);
	return NOTIFY_STOP;
}

/**
 * struct hit - state of a hit in hit_in_full()
 * @site: where it is
 * @regs: user registers
 * @set: the consumers to be called, or NULL
 * @utask: state of the current task; NULL if nothing needs one, or there is no memory
 * @defer: work that is deferred to task context, HIT_*
 * @shared: the breakpoint has another owner, too
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
 * Get the utask if the hit needs one.  Return false if the task has to execute the breakpoint
 * again, because the refill of the reserve is pending.  Nothing has been done for the hit in that
 * case.
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
	/* A step needs the utask.  If the trap is passed on, there is no step. */
	if (retry || (hit->site->step && !hit->shared))
		return false;
	if (set)
		hit_missed(set, hit->regs);
	return true;
}

/*
 * Check whether the hit has been counted before: a signal came before the instruction was
 * executed, or a tracer has the task step over the instruction.
 */
static bool hit_was_counted(const struct hit *hit)
{
	const struct site *site = hit->site;
	bool counted = false;

	if (unlikely(READ_ONCE(site->pmm->resumptions))) {
		struct utask *utask = utask_find(current);

		counted = utask && signal_resumed(utask, site, hit->regs);
	}
	if (unlikely(READ_ONCE(site->pmm->passed_on)) && !hit->shared)
		counted |= tracer_resumed(site, hit->regs);
	return counted;
}

/* Call the atomic handlers.  Return false if one of them has changed the ip. */
static bool hit_call_atomic(struct hit *hit)
{
	struct consumer_set *set = hit->set;
	u64 asked = set->nr_atomic ? hit_run_atomic(hit->site, set, hit->regs) : 0;

	if (unlikely(hit->regs->ip != hit->site->key.addr)) {
		task_handlers_missed(set, asked);
		if (hit->utask)
			hit_missed(set, hit->regs);
		return false;
	}
	if (unlikely(asked)) {
		/*
		 * With sleepable or return consumers, hit_get_state() has tried already and counted
		 * the misses.
		 */
		if (!hit->utask && !set->nr_sleepable && !set->nr_return)
			hit->utask = utask_get(current);
		if (hit->utask) {
			hit->utask->hit.handler_mask = asked;
			hit->defer |= HIT_TASK_HANDLERS;
		} else {
			task_handlers_missed(set, asked);
		}
	}
	return true;
}

/*
 * Pass the trap on: the breakpoint has another owner, too.  That owner has the instruction
 * executed before the sleepable handlers run.  These handlers get a copy of the registers, so
 * they cannot change anything.  Always return false, for hit_in_full().
 */
static bool hit_pass_on(struct hit *hit)
{
	const struct consumer_set *set = hit->set;
	struct pt_regs *regs = hit->regs;

	/*
	 * If a jump entered this function, first restore the return address: the kernel must not
	 * see our trampoline's.  Our exchange comes later, in task context, over the kernel's: the
	 * address stays in its place until the function returns, and ours is popped first.
	 */
	ret_addr_restore(hit->site->pmm, regs, !set || !set->nr_return);
	if (set && set->nr_return && hit->utask)
		hit->defer |= HIT_PREPARE;
	if (set && set->nr_sleepable && hit->utask)
		hit->defer |= HIT_ENTRY;
	if (hit->defer) {
		hit->utask->hit.shared = true;
		hit->utask->hit.shared_regs = *regs;
		if (!hit_defer(hit->utask, hit->site, hit->set, hit->defer))
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

/*
 * Prepare the return probes, if that can be done in the trap.  Return whether any work is
 * deferred to task context.
 */
static bool hit_prepare_rest(struct hit *hit)
{
	const struct consumer_set *set = hit->set;

	if (unlikely(!hit->utask && (set->nr_sleepable || set->nr_return)))
		return false;
	if (set->nr_sleepable)
		hit->defer |= HIT_ENTRY;
	/* Prepare return probes after the sleepable handlers, which may change the ip. */
	if (set->nr_return && (hit->defer || set->nr_return_in_task ||
			       !uretprobe_prepare(hit->utask, hit->site, set, hit->regs)))
		hit->defer |= HIT_PREPARE;
	return hit->defer;
}

/*
 * Handle a hit step by step.  This function defines what a hit means: the fast paths in
 * hit_trap() have the same result.  Return false if the next notifier has to see the trap: the
 * breakpoint has another owner, or no call can have returned here.
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
	if (unlikely(!hit.set)) {
		smp_rmb();	/* Pairs with site_make(). */
		/* The breakpoint traps again, and the site that has taken its place counts. */
		if (READ_ONCE(site->state) == SITE_REPLACED)
			return true;
	}
	hit.shared = READ_ONCE(site->owner) != OWNER_OURS;
	if (unlikely(arch_stack_fixed() && site->plan->pushes_return && !hit.shared)) {
		hit_in_place(site, hit.set, regs);
		return true;
	}
	if (hit.set && hit_unwanted(hit.set, regs)) {
		jump_heat(site);
		hit.set = NULL;
	}
	if (unlikely(!hit_get_state(&hit)))
		return true;
	if (unlikely(hit_was_counted(&hit)))
		hit.set = NULL;
	if (hit.set && !hit_call_atomic(&hit))
		return true;
	if (unlikely(hit.shared))
		return hit_pass_on(&hit);
	if (hit.set && hit_prepare_rest(&hit) && hit_defer(hit.utask, site, hit.set, hit.defer))
		return true;
	if (hit.set && hit.set->trapless)
		jump_heat(site);
	resume_at(hit.utask, site, regs);
	return true;
}

/* The fast path for a sleepable handler that is the only consumer. */
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

/* The fast path for a return probe that is the only consumer. */
static noinline int hit_return(struct site *site, struct consumer *c, struct pt_regs *regs)
{
	if (likely(uretprobe_enter(site, c, regs)) ||
	    (uretprobe_learn(site, regs) && uretprobe_enter(site, c, regs)))
		return NOTIFY_STOP;
	return hit_in_full(site, regs) ? NOTIFY_STOP : NOTIFY_DONE;
}

/* End a hit for which no handler is called, at a site that may get a jump. */
static __always_inline int hit_over(struct site *site, struct pt_regs *regs)
{
	jump_heat(site);
	regs->ip = site->key.addr;
	resume_unstepped(site, regs);
	return NOTIFY_STOP;
}

/* The fast path for a consumer that only counts and is the only one. */
static __always_inline int hit_count(struct site *site, struct consumer *c, struct pt_regs *regs)
{
	consumer_hit(c);
	return hit_over(site, regs);
}

/* The fast path for an atomic handler that is the only consumer. */
static __always_inline int hit_atomic(struct site *site, struct consumer_set *set,
				      struct consumer *c, struct pt_regs *regs)
{
	regs->ip = site->key.addr;
	consumer_hit(c);
	c->u->handler(c->u, regs);
	/* If the compiler knows the per-CPU segment, it compares raw_cpu_read() in memory. */
	if (unlikely(raw_cpu_read(task_handler_wanted) || regs->ip != site->key.addr))
		return hit_atomic_rest(site, set, regs);
	resume_unstepped(site, regs);
	return NOTIFY_STOP;
}

static noinline int hit_atomic_called(struct site *site, struct consumer_set *set,
				      struct consumer *c, struct pt_regs *regs)
{
	return hit_atomic(site, set, c, regs);
}

/* The fast path for a consumer with a ring handler, for which there may be a pad. */
static noinline int hit_ring(struct site *site, struct consumer_set *set, struct consumer *c,
			     struct pt_regs *regs)
{
	int ret;

	if (unlikely(c->timing) && timing_hit(c, site, regs, true))
		return hit_over(site, regs);
	jump_heat(site);
	if (unlikely(c->keyed))
		pad_keys_hit(site, c, regs);
	if (likely(!c->timing))
		return hit_atomic(site, set, c, regs);
	ret = hit_atomic_called(site, set, c, regs);
	timing_hit_over(c);
	return ret;
}

/* The fast path for a consumer with conditions that is the only one. */
static noinline int hit_filtered(struct site *site, struct consumer_set *set, struct consumer *c,
				 struct pt_regs *regs)
{
	if (!consumer_wants(c, regs))
		return hit_over(site, regs);
	if (c->counts)
		return hit_count(site, c, regs);
	if (c->rings)
		return hit_ring(site, set, c, regs);
	if (c->atomic_entry)
		return hit_atomic(site, set, c, regs);
	return hit_in_full(site, regs) ? NOTIFY_STOP : NOTIFY_DONE;
}

/* Handle a hit at a site as its dispatch says. */
static noinline int hit_dispatch(struct site *site, struct consumer_set *set, struct pt_regs *regs)
{
	enum dispatch dispatch = READ_ONCE(set->dispatch);

	/* Calls that are not inlined cost this function no saving of registers. */
	if (dispatch == DISPATCH_RING)
		return hit_ring(site, set, set->consumers[0], regs);
	if (dispatch == DISPATCH_COUNT)
		return hit_count(site, set->consumers[0], regs);
	if (dispatch == DISPATCH_FILTER)
		return hit_filtered(site, set, set->consumers[0], regs);
	if (dispatch == DISPATCH_TASK)
		return hit_in_task(site, set->consumers[0], regs);
	if (dispatch == DISPATCH_RETURN)
		return hit_return(site, set->consumers[0], regs);
	if (dispatch == DISPATCH_ATOMIC)
		return hit_atomic_called(site, set, set->consumers[0], regs);
	return hit_in_full(site, regs) ? NOTIFY_STOP : NOTIFY_DONE;
}

/*
 * Handle the trap of a pad: the hit has passed its filter, and is handled as if the task had come
 * to the breakpoint.  If no consumer is left, the task executes the text.  If the ring was full and
 * has @room now, the task executes the pad again: the registers are those that it came with.
 */
static noinline int hit_from_pad(const struct jump *jump, struct pt_regs *regs, bool room)
{
	struct site *site = jump->site;
	struct consumer_set *set = rcu_dereference(site->set);
	int ret = NOTIFY_DONE;

	if (arch_code_mode(regs) != UINSN_MODE_64)
		return ret;
	if (room && READ_ONCE(jump->on) && !READ_ONCE(site->barred) && pad_records(&jump->pad)) {
		regs->ip = jump->at;
		return NOTIFY_STOP;
	}
	regs->ip = jump->pad.addr;
	if (!set || READ_ONCE(site->state) != SITE_ARMED)
		return NOTIFY_STOP;
	regs->ip += ARCH_BREAKPOINT_LEN;
	if (unlikely(READ_ONCE(site->fast_state) != SITE_ARMED ||
		     READ_ONCE(site->pmm->resumptions)))
		ret = hit_in_full(site, regs) ? NOTIFY_STOP : NOTIFY_DONE;
	else
		ret = hit_dispatch(site, set, regs);
	if (pad_records(&jump->pad))
		ring_request_page(site->pmm);
	resume_in_pad(site, jump, regs);
	return ret;
}

/* Handle a trap at the trampoline, in a pad, or at a site that may need the slow path. */
static noinline int hit_special_site(struct site *site, struct pt_regs *regs)
{
	struct probed_mm *pmm = site->pmm;
	/* The hits that are in the ring came before. */
	bool room = READ_ONCE(pmm->ringed) && ring_empty(pmm);
	struct consumer_set *set;

	if (likely(site->kind == SITE_TRAMPOLINE))
		return handle_trampoline(site, regs) ? NOTIFY_STOP : NOTIFY_DONE;
	if (site->kind == SITE_PAD)
		return hit_from_pad(site->pad_of, regs, room);
	if (unlikely(READ_ONCE(pmm->asks)) && hit_asks(site))
		return NOTIFY_DONE;
	set = rcu_dereference(site->set);
	if (set && READ_ONCE(site->fast_state) == SITE_ARMED && !READ_ONCE(pmm->resumptions) &&
	    arch_code_mode(regs) == UINSN_MODE_64)
		return hit_dispatch(site, set, regs);
	return hit_in_full(site, regs) ? NOTIFY_STOP : NOTIFY_DONE;
}

/*
 * Handle a trap at an address without a site.  A jump may cover it.  Or the kernel may have a
 * return probe there: see ret_addr_restore().
 */
static noinline int hit_elsewhere(struct pt_regs *regs)
{
	struct probed_mm *pmm = pmm_lookup(current->mm);

	if (pmm && READ_ONCE(pmm->pads.nr) && arch_code_mode(regs) == UINSN_MODE_64 &&
	    jump_trap(regs, regs->ip - ARCH_BREAKPOINT_LEN))
		return NOTIFY_STOP;
	if (pmm)
		ret_addr_restore(pmm, regs, true);
	return NOTIFY_DONE;
}

/*
 * Handle all die events except breakpoints that are certainly in 64-bit user code.  Arguments as
 * for hit_trap().
 */
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
 * @event: the die event
 * @data: the struct die_args of the event
 *
 * Every hit runs through this function.  So the kernel calls it directly, and the fast path is a
 * straight line.
 *
 * Context: the trap, in the RCU read side that the kernel calls die notifiers in.
 * Return: NOTIFY_STOP when the trap was ours, NOTIFY_DONE when not.
 */
int hit_trap(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct probed_mm *pmm;
	struct consumer_set *set;
	struct pt_regs *regs;
	struct site *site;

	if (unlikely(!arch_trap_usual(event, data, &regs)))
		return hit_event(nb, event, data);
	site = site_find(current->mm, regs->ip - ARCH_BREAKPOINT_LEN);
	if (unlikely(!site))
		return hit_elsewhere(regs);
	set = rcu_dereference(site->set);
	pmm = site->pmm;
	/* Plain loads, so that each compare is one instruction.  A change may be seen late. */
	if (unlikely(data_race(site->fast_state) != SITE_ARMED || data_race(pmm->unusual) ||
		     !set))
		return hit_special_site(site, regs);
	/* The consumer may not be live any more: a caller that disables it waits for this trap. */
	if (data_race(set->dispatch) != DISPATCH_ATOMIC)
		return hit_dispatch(site, set, regs);
	return hit_atomic(site, set, container_of(set, struct consumer, solo), regs);
}
