// SPDX-License-Identifier: GPL-2.0
/*
 * Resuming a task after a hit by a step over its instruction.
 */
#include <linux/preempt.h>

#include "resume.h"
#include "arch.h"
#include "core/site.h"
#include "core/task.h"

/**
 * resume_stepped() - have the task step over a copy of the instruction
 * @utask: state of the current task
 * @site: where the hit was
 * @regs: user registers
 *
 * Context: the trap, or task context.
 */
void resume_stepped(struct utask *utask, struct site *site, struct pt_regs *regs)
{
	/* release_tasks() must see both changes or none. */
	preempt_disable();
	arch_step_begin(site->plan, site->key.addr, site_slot(site), &utask->step.state, regs);
	utask->step.site = site;
	preempt_enable();
}
