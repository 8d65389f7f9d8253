// SPDX-License-Identifier: GPL-2.0
/*
 * The debug exception after a step.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "stepped.h"
#include "arch.h"
#include "signal.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/slots.h"
#include "core/task.h"
#include "jump/pad_area.h"
#include "jump/pad_trap.h"

/**
 * hit_step() - handle the debug exception of a user task after a single step
 * @regs: its registers
 *
 * Context: the trap.
 * Return: true if the program must not see the trap.  Either the step was ours.  Or it was a
 * step of another owner (a debugger, the program) that has reached neither the end of a slot
 * nor the end of a round of a repeated string instruction.
 */
bool hit_step(struct pt_regs *regs)
{
	struct utask *utask = utask_find(current);
	const struct probed_mm *pmm;
	const struct site *site;
	const struct jump *jump;
	bool hide;

	if (utask && utask->signals.delayed) {
		signal_delay_step(utask, regs);
		return true;
	}
	if (utask && utask->step.site) {
		site = utask->step.site;
		/* A debugger that steps, too, sees each round of a repeated string instruction. */
		if (!arch_step_end(site->plan, site->key.addr, site_slot(site),
				   &utask->step.state, regs))
			return !arch_stepped(utask->step.state.flags);
		/*
		 * If arch_step_end() could not correct a return address, that is the address of
		 * the jump behind the copy.  The jump leads to the right place.
		 */
		utask->step.site = NULL;
		if (utask->signals.delays)
			signal_delay_end(utask, regs);
		return !arch_stepped(utask->step.state.flags);
	}

	/* The tracer has had the task step over a copy of the instruction, elsewhere. */
	if (utask)
		utask->passed_on.reported = NULL;
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	site = pmm ? site_of_slot(pmm, regs->ip) : NULL;
	hide = site && !(regs->ip == site_slot(site) && site->plan->insn.class == UINSN_STRING);
	jump = pmm && !site ? jump_of_pad(pmm, regs->ip) : NULL;
	if (jump)
		hide = pad_original_ip(jump, regs->ip) == jump->pad.addr;
	rcu_read_unlock();
	return hide;
}
