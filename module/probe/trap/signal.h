/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hiding execution out of line from signals.
 *
 * If a signal comes before the instruction of a hit is executed, it is delayed until then: the
 * kernel is kept from looking at its signals, and the task goes through the slot under TF.  Then
 * the signal handler finds the task behind the instruction, and not in the slot.
 *
 * A fault, a stop and the end of the task cannot be delayed.  Nor can a signal in a system call
 * or in a restartable sequence.  In these cases the task's registers are set to those that it
 * would have without the probe, before the kernel looks.  The task is moved back to the
 * instruction, and hits the breakpoint again once the signal is dealt with.  The handlers have
 * been called already, so a resumption is noted that tells this hit from a new one (resumption.h).
 */
#ifndef _UPROBES_SIGNAL_H
#define _UPROBES_SIGNAL_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct probed_mm;
struct kernel_siginfo;
struct site;
struct utask;

/* Signals are delayed at most this many times before the instruction is executed. */
#define SIGNAL_MAX_DELAYS	8

/* Nor are they delayed for more steps than a slot or a pad has bytes: an intact one takes fewer. */
#define SIGNAL_MAX_STEPS	PAD_MAX

bool signal_prepare(struct pt_regs *regs, bool can_wait);
void signal_show(void);
void signal_forked(struct probed_mm *parent);
void signal_delivered(struct pt_regs *regs);
void signal_preempted(struct pt_regs *regs);
void signal_leave_pad(struct probed_mm *pmm, struct pt_regs *regs);
void signal_delay_no_more(void);
void signal_fault_waits(void);
void signal_exec(struct utask *utask, struct pt_regs *regs);
void signal_delay_end(struct utask *utask, struct pt_regs *regs);
void signal_delay_step(struct utask *utask, struct pt_regs *regs);
void signal_translate(int sig);
void signal_passed_on(const struct kernel_siginfo *info);

#endif /* _UPROBES_SIGNAL_H */
