/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resuming a task after a hit.
 */
#ifndef _UPROBES_RESUME_H
#define _UPROBES_RESUME_H

#include "arch.h"
#include "core/site.h"

struct utask;

void resume_stepped(struct utask *utask, struct site *site, struct pt_regs *regs);

/* If a tracer single-steps the task, use the slot even for a nop: the tracer needs a step. */
static __always_inline void resume_unstepped(const struct site *site, struct pt_regs *regs)
{
	regs->ip = likely(!arch_stepped(regs->flags)) ? site->resume : site_slot(site);
}

/*
 * If a task would go on in the slot, or behind an instruction that does nothing, have it go on in
 * the pad.  Otherwise, it would come to an instruction that the jump covers, and trap again.
 */
static __always_inline void resume_in_pad(const struct site *site, const struct jump *jump,
					  struct pt_regs *regs)
{
	if (regs->ip == site->resume && READ_ONCE(jump->on))
		regs->ip = jump->at + jump->parts.copies[0];
}

/**
 * resume_at() - have the task execute the instruction of a hit out of line
 * @utask: state of the current task; NULL if the site is not stepped
 * @site: where the hit was
 * @regs: user registers, ip at the site
 *
 * Context: the trap, or task context.
 */
static __always_inline void resume_at(struct utask *utask, struct site *site,
				      struct pt_regs *regs)
{
	if (unlikely(site->step))
		resume_stepped(utask, site, regs);
	else
		resume_unstepped(site, regs);
}

#endif /* _UPROBES_RESUME_H */
