/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What signals see of a task that is executing out of line: nothing.
 *
 * Where they come before a hit's instruction is executed, they wait until it is: the
 * kernel is kept from looking at them, and the task goes through the slot under TF.  So
 * it is of no account where the program goes on after a signal.
 *
 * Where they cannot wait (a fault, a stop, the end; a system call; a sequence that the
 * kernel restarts), the task's registers are made those that it would have without the
 * probe before the kernel looks: it is put back to the instruction and will run into the
 * breakpoint again once the signal is dealt with; the handlers have been called already,
 * so a resumption is noted that tells this hit from a new one.
 */
#ifndef _UPROBES_SIGNAL_H
#define _UPROBES_SIGNAL_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct probed_mm;
struct kernel_siginfo;
struct site;
struct utask;

/* Signals wait no longer than this many have come. */
#define SIGNAL_MAX_DELAYS	8

/* Nor for more steps than a slot has bytes: an unchanged slot is through by then. */
#define SIGNAL_MAX_STEPS	SSOL_SLOT_MAX

/* Where a signal handler returns to is not known. */
#define SIGNAL_ANYWHERE		ULONG_MAX

bool signal_prepare(struct pt_regs *regs, bool can_wait);
void signal_show(void);
void signal_forked(struct probed_mm *parent);
void signal_delivered(struct pt_regs *regs);
void signal_preempted(struct pt_regs *regs);
void signal_add_resumption(struct utask *utask, struct site *site, const struct pt_regs *regs);
void signal_note_resumption(struct site *site, const struct pt_regs *regs);
void signal_delay_no_more(void);
void signal_fault_waits(void);
void signal_exec(struct utask *utask, struct pt_regs *regs);
void signal_delay_end(struct utask *utask, struct pt_regs *regs);
void signal_delay_step(struct utask *utask, struct pt_regs *regs);
void signal_handled(const struct pt_regs *regs, bool restart);
void signal_returns(unsigned long ip);
void signal_translate(int sig);
void signal_passed_on(const struct kernel_siginfo *info);
bool signal_resumed(struct utask *utask, const struct site *site, const struct pt_regs *regs);

#endif /* _UPROBES_SIGNAL_H */
