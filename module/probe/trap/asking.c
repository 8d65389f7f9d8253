// SPDX-License-Identifier: GPL-2.0
/*
 * The question whether the kernel's uprobes are gone from a process.
 *
 * The kernel looks for them only when it meets a breakpoint that it does not know
 * (compat_recount_uprobes()).  So if probed_mm::asks is set, the next hit is passed on to the
 * kernel.  What it has done is known when uprobe_notify_resume() is over, and task work comes next:
 *
 *	the task has not moved		the hit is yet to be handled: the task executes the
 *					breakpoint, or what has replaced it
 *	the task is elsewhere		the kernel has a uprobe there, for another process: it has
 *					had the instruction executed, and the hit was missed
 *
 * A task does not move if the kernel sends SIGTRAP, which on_force_sig() suppresses; if a jump has
 * just replaced the breakpoint; or if a uprobe is being registered there, so that the kernel has
 * the task trap again.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "asking.h"
#include "core/consumer.h"
#include "core/site.h"
#include "core/task.h"
#include "text/owner.h"

/* Count the hit as missed, and have no further one risked. */
static void asked_in_vain(struct site *site)
{
	struct consumer_set *set;
	unsigned int i;

	rcu_read_lock();
	set = rcu_dereference(site->set);
	for (i = 0; set && i < set->nr; i++)
		consumer_missed(set->consumers[i]);
	rcu_read_unlock();
	WRITE_ONCE(site->pmm->asked_in_vain, true);
}

static void asked(struct callback_head *work)
{
	struct utask *utask = container_of(work, struct utask, asking.work);
	struct site *site = utask->asking.site;

	if (!utask->exited && current->mm && task_pt_regs(current)->ip != site->key.addr)
		asked_in_vain(site);
	WRITE_ONCE(utask->asking.site, NULL);
	utask_work_done(utask);
	task_work_end();
}

/**
 * hit_asks() - check whether the kernel is to see this hit first
 * @site: its site
 *
 * Context: the trap, in the RCU read side.
 * Return: true if the hit must be passed on.
 */
bool hit_asks(struct site *site)
{
	struct probed_mm *pmm = site->pmm;
	struct utask *utask;

	if (current->ptrace || READ_ONCE(site->state) != SITE_ARMED ||
	    READ_ONCE(site->owner) != OWNER_OURS)
		return false;
	utask = utask_get(current);
	if (!utask || utask->asking.site || !xchg(&pmm->asks, false))
		return false;
	WRITE_ONCE(utask->asking.site, site);
	if (!task_work_begin(current, &utask->asking.work, asked))
		return true;
	WRITE_ONCE(utask->asking.site, NULL);
	return false;
}
