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
#include "jump/pad_trap.h"

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
		fault_in_readable((const char __user *)regs->sp, PAD_PUSHED * sizeof(u64));
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

/*
 * If a task has faulted where its pad loads from memory, have it go on where the hit traps, with
 * the same registers.  A fault that has slept has begun a record again: sched_switch.
 */
static bool load_fault(struct jump *jump, struct pt_regs *regs)
{
	const struct pad_layout *parts = &jump->parts;
	unsigned long offset = regs->ip - jump->at, flags;

	if (!parts->loads || !((offset >= parts->loads && offset < parts->loaded) ||
			       (parts->commit && offset == parts->record)))
		return false;
	local_irq_save(flags);
	regs->ip = jump->at + parts->tail;
	jump_note_trap(jump, BARRED_FAULTED);
	local_irq_restore(flags);
	return true;
}

/**
 * pad_fault() - handle a fault of the current task that would become a signal
 * @regs: user registers
 * @fetch: the fault was at fetching the instruction
 *
 * If the task is in a pad, have it leave the pad before it runs user code again.  If it loads from
 * memory there, have the hit trap: the address is bad, and handlers find that, too.  A fault of the
 * program's own instructions, which a pad has copies of, is left to the kernel.
 *
 * Context: any.
 * Return: true if there must be no signal.
 */
bool pad_fault(struct pt_regs *regs, bool fetch)
{
	struct jump *jump = NULL;
	struct probed_mm *pmm;
	struct utask *utask;
	bool ours, done;

	if (!user_mode(regs) || !current->mm || arch_code_mode(regs) != UINSN_MODE_64)
		return false;
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	if (pmm)
		jump = jump_of_pad(pmm, regs->ip);
	ours = jump && (fetch || !pad_in_copies(&jump->parts, regs->ip - jump->at));
	/* The program may have mapped code of its own there, since it has unmapped the pad. */
	if (ours && !fetch)
		ours = pad_compare(jump, regs->ip - jump->at) != 1;
	done = ours && !fetch && load_fault(jump, regs);
	rcu_read_unlock();
	if (done || !ours)
		return done;
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
