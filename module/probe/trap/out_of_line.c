// SPDX-License-Identifier: GPL-2.0
/*
 * Where a task is in the slot or in the pad of a site.
 */
#include <linux/uaccess.h>

#include "out_of_line.h"
#include "arch.h"
#include "ssol.h"
#include "ssol_emit.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/task.h"
#include "jump/jump.h"
#include "jump/pad_trap.h"

/**
 * out_of_line_begun() - check whether a task has begun with the instruction of a hit
 * @site: the site, whose slot or pad the task is in
 * @regs: its user registers
 *
 * Context: any.
 */
bool out_of_line_begun(const struct site *site, const struct pt_regs *regs)
{
	const struct jump *jump = site_pad_at(site, regs->ip);

	return jump ? regs->ip != jump->at + jump->parts.copies[0] &&
		      pad_in_copies(&jump->parts, regs->ip - jump->at) :
		      regs->ip != site_slot(site);
}

/**
 * out_of_line_done() - check whether a task need not execute the instruction of a hit any more
 * @site: the site
 * @regs: user registers of the task
 *
 * Context: any.
 * Return: true if it has executed the instruction, if the hit is not counted yet, or if it is
 * neither in the slot nor in the pad.
 */
bool out_of_line_done(const struct site *site, const struct pt_regs *regs)
{
	const struct jump *jump = site_pad_at(site, regs->ip);

	return jump ? !pad_counted(jump, regs) :
		arch_slot_done(site->plan, site->key.addr, site_slot(site), regs);
}

/**
 * out_of_line_intact() - check whether the code that a task executes is what was written there
 * @site: the site, whose slot or pad the task is in
 * @regs: its user registers
 *
 * The program can change a slot or a pad, and signals would be delayed for the program's code.
 *
 * Context: any; the current task.
 */
bool out_of_line_intact(const struct site *site, const struct pt_regs *regs)
{
	const struct jump *jump = site_pad_at(site, regs->ip);
	u8 want[SSOL_SLOT_MAX], is[SSOL_SLOT_MAX];
	int len;

	if (jump)
		return !pad_compare(jump, jump->len);
	len = site->step ? ssol_emit_step(site->plan, site->key.addr, site_slot(site), want) :
			   ssol_emit(site->plan, site->key.addr, site_slot(site), want);
	return len > 0 && !copy_from_user_nofault(is, (const void __user *)site_slot(site), len) &&
	       !memcmp(is, want, len);
}

/* Set the registers of a task in the slot or the pad of a site to those of the program. */
void out_of_line_leave(const struct site *site, struct pt_regs *regs)
{
	const struct jump *jump = site_pad_at(site, regs->ip);

	if (jump)
		pad_leave(jump, regs);
	else
		arch_slot_unwind(site->plan, site->key.addr, site_slot(site), regs);
}

static void erase_work(struct callback_head *work)
{
	struct utask *utask = container_of(work, struct utask, erase.work);
	struct probed_mm *pmm;

	utask->erase.queued = false;
	pmm = utask->exited || !current->mm ? NULL : pmm_find(current->mm);
	if (pmm) {
		jumps_erase_barred(pmm);
		pmm_put(pmm);
	}
	utask_work_done(utask);
	task_work_end();
}

/**
 * site_needs_trap() - keep a site from having a jump
 * @utask: state of the current task, which comes back to the site
 * @site: the site
 * @why: the reason
 *
 * If there is a jump, the task erases it before it runs user code again.
 *
 * Context: any; the current task.
 */
void site_needs_trap(struct utask *utask, struct site *site, enum barred why)
{
	site_bar(site, why);
	/* Pairs with jump_begin(). */
	smp_mb();
	if (!site_jump(site) || utask->erase.queued)
		return;
	utask->erase.queued = true;
	if (task_work_begin(current, &utask->erase.work, erase_work))
		utask->erase.queued = false;
}
