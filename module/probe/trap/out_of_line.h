/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a task is in the slot or in the pad of a site.
 */
#ifndef _UPROBES_OUT_OF_LINE_H
#define _UPROBES_OUT_OF_LINE_H

#include <linux/ptrace.h>

#include "core/site.h"
#include "jump/jump_make.h"

struct utask;

bool out_of_line_begun(const struct site *site, const struct pt_regs *regs);
bool out_of_line_done(const struct site *site, const struct pt_regs *regs);
bool out_of_line_intact(const struct site *site, const struct pt_regs *regs);
void out_of_line_leave(const struct site *site, struct pt_regs *regs);
void site_needs_trap(struct utask *utask, struct site *site, enum barred why);

#endif /* _UPROBES_OUT_OF_LINE_H */
