/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads in pads, and at instructions that a jump covers.
 */
#ifndef _UPROBES_PAD_TRAP_H
#define _UPROBES_PAD_TRAP_H

#include <linux/ptrace.h>

#include "core/jump_types.h"

void jump_note_trap(struct jump *jump, unsigned int why);
bool jump_trap(struct pt_regs *regs, unsigned long addr);
bool jump_undefined(struct pt_regs *regs);
bool pad_counted(const struct jump *jump, const struct pt_regs *regs);
unsigned long pad_original_ip(const struct jump *jump, unsigned long ip);
bool pad_leave(const struct jump *jump, struct pt_regs *regs);
int pad_compare(const struct jump *jump, int len);

#endif /* _UPROBES_PAD_TRAP_H */
