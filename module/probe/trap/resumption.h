/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resumptions: hits that are handled, and whose instructions are not executed yet.  A task that
 * comes back to such an instruction does not hit it again.
 */
#ifndef _UPROBES_RESUMPTION_H
#define _UPROBES_RESUMPTION_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct site;
struct utask;

/* The address that a signal handler returns to is not known. */
#define SIGNAL_ANYWHERE		ULONG_MAX

void signal_add_resumption(struct utask *utask, struct site *site, const struct pt_regs *regs);
void signal_note_resumption(struct site *site, const struct pt_regs *regs);
bool signal_resumed(struct utask *utask, const struct site *site, const struct pt_regs *regs);
bool tracer_resumed(const struct site *site, const struct pt_regs *regs);
void signal_handled(const struct pt_regs *regs, bool restart);
void signal_returns(unsigned long ip);

#endif /* _UPROBES_RESUMPTION_H */
