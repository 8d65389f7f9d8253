// SPDX-License-Identifier: GPL-2.0
/*
 * Resumptions: which hits are handled, although their instructions are not executed yet.
 */
#include <linux/sched.h>
#include <linux/string.h>

#include "resumption.h"
#include "arch.h"
#include "out_of_line.h"
#include "core/pmm_types.h"
#include "core/task.h"

/**
 * signal_add_resumption() - note a hit that is handled and whose instruction is not executed
 * @utask: state of the current task
 * @site: where the hit was
 * @regs: its registers, with the ip at the site, or behind a system call that is
 *	to be restarted there
 *
 * There is room for SIGNAL_MAX_RESUMPTIONS.  More are needed only if more signal handlers than this
 * interrupt each other, each right at a breakpoint.  If there is no room, drop the oldest one: its
 * hit will be counted once more.
 *
 * Context: any.
 */
void signal_add_resumption(struct utask *utask, struct site *site, const struct pt_regs *regs)
{
	if (utask->signals.nr_resumptions == SIGNAL_MAX_RESUMPTIONS) {
		memmove(&utask->signals.resumptions[0], &utask->signals.resumptions[1],
			sizeof(utask->signals.resumptions) - sizeof(utask->signals.resumptions[0]));
		utask->signals.nr_resumptions--;
	}
	utask->signals.resumptions[utask->signals.nr_resumptions++] = (struct resumption) {
		.site = site,
		.sp = regs->sp,
		.digest = arch_regs_digest(regs),
		.restart = regs->ip != site->key.addr,
	};
	WRITE_ONCE(site->pmm->resumptions, true);
	/* Only a trap can tell whether a hit has been counted before. */
	site_needs_trap(utask, site, BARRED_RESUMED);
}

/**
 * signal_note_resumption() - note a resumption of the current task
 * @site: where the hit was
 * @regs: its registers, with the ip at the site, or behind a system call that is
 *	to be restarted there
 *
 * The hit is handled, and a signal comes before its instruction is executed.
 *
 * Context: any; the current task.
 */
void signal_note_resumption(struct site *site, const struct pt_regs *regs)
{
	struct utask *utask = utask_get(current);

	if (utask)
		signal_add_resumption(utask, site, regs);
}

/**
 * signal_resumed() - check whether a hit was handled before a signal came
 * @utask: state of the current task
 * @site: where it is
 * @regs: its registers, with the ip at the site
 *
 * Drop the resumptions that are newer than the one found: their signal handlers did not return.  An
 * old one may match by chance when the task comes to the site again.  So if a signal handler ran,
 * require that it has returned to this breakpoint.
 *
 * Context: the trap.
 */
bool signal_resumed(struct utask *utask, const struct site *site, const struct pt_regs *regs)
{
	bool returned = utask->signals.returned_to == site->key.addr ||
			utask->signals.returned_to == SIGNAL_ANYWHERE;
	unsigned int i = utask->signals.nr_resumptions;

	utask->signals.returned_to = 0;
	while (i--) {
		const struct resumption *r = &utask->signals.resumptions[i];

		if (r->site != site || r->sp != regs->sp || (r->handler && !returned) ||
		    (!r->restart && r->digest != arch_regs_digest(regs)))
			continue;
		utask->signals.nr_resumptions = i;
		return true;
	}
	return false;
}

/**
 * tracer_resumed() - check whether a hit was passed on to the task's tracer
 * @site: where it is
 * @regs: its registers
 *
 * The tracer now has the task step over the instruction.
 *
 * Context: the trap.
 */
bool tracer_resumed(const struct site *site, const struct pt_regs *regs)
{
	struct utask *utask = utask_find(current);
	const struct site *reported;

	if (!utask)
		return false;
	reported = utask->passed_on.reported;
	utask->passed_on.reported = NULL;
	return reported == site && utask->passed_on.sp == regs->sp;
}

/**
 * signal_handled() - note that a signal handler of the program is about to be called
 * @regs: user registers as the handler's frame will show them
 * @restart: a system call that was interrupted is restarted afterwards
 *
 * Context: any; the current task.
 */
void signal_handled(const struct pt_regs *regs, bool restart)
{
	struct utask *utask = utask_find(current);
	struct resumption *r;

	if (!utask || !utask->signals.nr_resumptions)
		return;
	r = &utask->signals.resumptions[utask->signals.nr_resumptions - 1];
	if (r->sp != regs->sp || r->handler)
		return;
	r->handler = true;
	/* The system call ends with EINTR instead of being restarted. */
	if (r->restart && !arch_syscall_restarts_after(regs, restart))
		utask->signals.nr_resumptions--;
}

/**
 * signal_returns() - note that the current task returns from a signal handler
 * @ip: the address that it returns to, or SIGNAL_ANYWHERE
 *
 * Context: any.
 */
void signal_returns(unsigned long ip)
{
	struct utask *utask = utask_find(current);

	if (utask)
		utask->signals.returned_to = ip;
}
