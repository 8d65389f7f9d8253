/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults in pads.
 */
#ifndef _UPROBES_PAD_FAULT_H
#define _UPROBES_PAD_FAULT_H

#include <linux/ptrace.h>

bool pad_fault(struct pt_regs *regs, bool fetch);
bool pad_fault_at_memory(struct pt_regs *regs);

#endif /* _UPROBES_PAD_FAULT_H */
