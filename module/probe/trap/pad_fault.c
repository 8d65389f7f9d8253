// SPDX-License-Identifier: GPL-2.0
/*
 * Faults in pads.
 *
 * A pad accesses memory that the instruction of the program does not: the stack below the red zone,
 * and counters, rings and tables, which the program can unmap or protect.  It can unmap the pad,
 * too.  The program must not get a signal for that.  The task leaves the pad with the registers of
 * the program, as before a signal, and the place has a breakpoint instead of the jump from then on.
 * So a hit that the pad has not counted traps there.
 */
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>

#include "pad_fault.h"
#include "arch.h"
#include "out_of_line.h"
#include "signal.h"
#include "core/probed_mm.h"
#include "core/task.h"
#include "jump/pad_area.h"

/* A pad pushes this number of words, or less. */
#define PUSHED	5U

/* Take the current task out of a pad, if it is in one.  Return false if its registers are lost. */
static bool pad_give_up(struct utask *utask, struct pt_regs *regs)
{
	struct probed_mm *pmm = pmm_lookup(current->mm);
	struct jump *jump = pmm ? jump_of_evicted_pad(pmm, regs->ip) : NULL;

	/* A signal may have led the task out of it. */
	if (!jump)
		return true;
	signal_leave_pad(pmm, regs);
	site_needs_trap(utask, jump->site, BARRED_FAULTED);
	return !jump_of_evicted_pad(pmm, regs->ip);
}

static void fault_work(struct callback_head *work)
{
	struct utask *utask = container_of(work, struct utask, fault.work);
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long flags;
	bool left = true;

	utask->fault.queued = false;
	if (!utask->exited && current->mm) {
		/* The words that the pad has pushed are read with interrupts off. */
		fault_in_readable((const char __user *)regs->sp, PUSHED * sizeof(u64));
		local_irq_save(flags);
		rcu_read_lock();
		left = pad_give_up(utask, regs);
		rcu_read_unlock();
		local_irq_restore(flags);
	}
	/* What the pad has just pushed is not there any more. */
	if (!left)
		force_sig(SIGSEGV);
	utask_work_done(utask);
	task_work_end();
}

/**
 * pad_fault() - handle a fault of the current task that would become a signal
 * @regs: user registers
 * @fetch: the fault was at fetching the instruction
 *
 * If the task is in a pad, have it leave the pad before it runs user code again.  A fault of the
 * program's own instructions, which a pad has copies of, is left to the kernel.
 *
 * Context: any.
 * Return: true if there must be no signal.
 */
bool pad_fault(struct pt_regs *regs, bool fetch)
{
	const struct jump *jump = NULL;
	struct probed_mm *pmm;
	struct utask *utask;
	bool ours;

	if (!user_mode(regs) || !current->mm || arch_code_mode(regs) != UINSN_MODE_64)
		return false;
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	if (pmm)
		jump = jump_of_pad(pmm, regs->ip);
	ours = jump && (fetch || !pad_in_copies(&jump->parts, regs->ip - jump->at));
	rcu_read_unlock();
	if (!ours)
		return false;
	utask = utask_get(current);
	/* No memory: execute the pad again, the refill of the reserve is pending. */
	if (!utask || utask->fault.queued)
		return true;
	utask->fault.queued = true;
	/* If the task does not run user code any more, it needs none. */
	if (task_work_begin(current, &utask->fault.work, fault_work))
		utask->fault.queued = false;
	return true;
}

/* The same for a fault that is not one of fetching.  Context: any. */
bool pad_fault_at_memory(struct pt_regs *regs)
{
	return pad_fault(regs, false);
}
