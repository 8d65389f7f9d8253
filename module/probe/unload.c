// SPDX-License-Identifier: GPL-2.0
/*
 * Detaching from all tasks when the module is unloaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/stop_machine.h>

#include "unload.h"
#include "arch.h"
#include "attach/attach.h"
#include "base/worker.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/task.h"
#include "events/eviction.h"
#include "jump/pad_area.h"
#include "trap/signal.h"
#include "uret/calls_walk.h"
#include "uret/uretprobe_return.h"

static bool release_pads(struct probed_mm *pmm, void *unused)
{
	if (!READ_ONCE(pmm->pads.nr) || !mmget_not_zero(pmm->mm))
		return true;
	mutex_lock(&pmm->lock);
	pads_disarm(pmm);
	mutex_unlock(&pmm->lock);
	mmput_async(pmm->mm);
	return true;
}

/*
 * A thread that loads from memory in a pad may wait there for as long as it likes.  When it goes
 * on, no hook sees its fault any more.
 */
static bool release_threads(struct probed_mm *pmm, void *unused)
{
	if (!READ_ONCE(pmm->pads.nr) || !mmget_not_zero(pmm->mm))
		return true;
	if (eviction_threads_leave(pmm, true))
		pr_warn("no memory: threads of process memory at 0x%lx stay in pads\n",
			pmm->pads.areas[0]->base);
	mmput_async(pmm->mm);
	return true;
}

static bool release_calls(struct probed_mm *pmm, void *unused)
{
	calls_restore(pmm);
	return true;
}

/* Runs in a worker, which has no signals: rmmod may be being killed. */
static long release_restore(void *unused)
{
	pmm_remove_breakpoints_all();
	pmm_for_each(release_pads, NULL);
	/* For eviction_threads_leave() */
	synchronize_rcu();
	pmm_for_each(release_threads, NULL);
	pmm_for_each(release_calls, NULL);
	return 0;
}

static void release_step(struct utask *utask, void *unused)
{
	const struct site *site = utask->step.site;
	struct pt_regs *regs;

	if (!utask->task->mm)
		return;
	/* In the middle of an execve(), the slot is gone already. */
	if (utask->task->mm != utask->mm)
		return;
	regs = task_pt_regs(utask->task);
	if (utask->signals.delays)
		signal_delay_end(utask, regs);
	if (site) {
		utask->step.site = NULL;
		arch_step_abort(site->plan, site->key.addr, site_slot(site), &utask->step.state,
				regs);
	}
}

/* A task that has never hit a probe, and so has no utask, may be at the trampoline. */
static void release_ip_one(struct task_struct *task)
{
	struct pt_regs *regs = task_pt_regs(task);
	struct probed_mm *pmm;
	unsigned long ip;

	if (!task->mm || task->flags & PF_KTHREAD)
		return;
	pmm = pmm_lookup(task->mm);
	ip = pmm ? uretprobe_released(pmm, regs) : 0;
	if (ip)
		regs->ip = ip;
}

static int release_ip(void *unused)
{
	struct task_struct *process, *task;

	utask_for_each(release_step, NULL);
	rcu_read_lock();
	for_each_process_thread(process, task)
		release_ip_one(task);
	rcu_read_unlock();
	return 0;
}

/**
 * release_tasks() - make all tasks independent of this module
 *
 * Restore the real return addresses on the stacks.  Move on the tasks that have returned to the
 * trampoline but were interrupted before they executed it.  Have the tasks that step over an
 * instruction execute it in its place.
 *
 * The return addresses are restored while everything runs: a task that returns to the trampoline
 * meanwhile still finds its call.  The machine is stopped only after that.  In the stop, a task
 * that has taken the trampoline's address off the stack and has not executed the trampoline
 * shows that by its saved ip.  The length of the stop grows with the number of threads, not of
 * calls.
 *
 * No return probe is registered any more.
 *
 * Context: may sleep; stops the machine.
 */
void release_tasks(void)
{
	worker_call(release_restore, NULL);
	signal_delay_no_more();
	stop_machine(release_ip, NULL, NULL);
}
