/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breakpoints in copies that a program has made of its probed text.
 */
#ifndef _UPROBES_COPIED_H
#define _UPROBES_COPIED_H

#include <linux/ptrace.h>

bool copied_trap(struct pt_regs *regs);

#endif /* _UPROBES_COPIED_H */
