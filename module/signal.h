/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What signals see of a task that is executing out of line: nothing.
 *
 * Before the kernel looks at a task's signals its registers are made those
 * that it would have without the probe.  Where the probed instruction has not
 * been executed yet, the task is put back to it and will run into the
 * breakpoint again once the signal is dealt with; the handlers have been
 * called already, so a resumption is noted that tells this hit from a new one.
 * That it cannot do where the task comes back by other means than returning from
 * its signal handler, as goroutines do that Go's scheduler has preempted: returns
 * and relative jumps are executed before the signal.
 */
#ifndef _UPROBES_SIGNAL_H
#define _UPROBES_SIGNAL_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct kernel_siginfo;
struct site;
struct utask;

#define SIGNAL_MAX_RESUMPTIONS	8

/* Where a signal handler returns to is not known. */
#define SIGNAL_ANYWHERE		ULONG_MAX

/**
 * struct resumption - a hit that has been handled and whose instruction has not
 *	been executed
 * @site: where
 * @sp: stack pointer
 * @digest: of the other registers, as a signal handler that returns restores
 *	them; not looked at when @restart
 * @restart: a system call that the kernel restarts, with other registers
 * @handler: a signal handler runs meanwhile: the task comes back here by the
 *	return from it, or not at all
 */
struct resumption {
	struct site *site;
	unsigned long sp;
	u64 digest;
	bool restart;
	bool handler;
};

void signal_prepare(struct pt_regs *regs);
void signal_preempted(struct pt_regs *regs);
void signal_postpone(struct utask *utask, struct site *site, const struct pt_regs *regs);
void signal_settle(struct site *site, struct pt_regs *regs);
void signal_handled(const struct pt_regs *regs, bool restart);
void signal_returns(unsigned long ip);
void signal_translate(int sig, struct kernel_siginfo *info);
bool signal_resumed(struct utask *utask, const struct site *site, const struct pt_regs *regs);

#endif /* _UPROBES_SIGNAL_H */
