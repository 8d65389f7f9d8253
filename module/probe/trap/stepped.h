/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The debug exception after a step.
 */
#ifndef _UPROBES_STEPPED_H
#define _UPROBES_STEPPED_H

#include <linux/types.h>

struct pt_regs;

bool hit_step(struct pt_regs *regs);

#endif /* _UPROBES_STEPPED_H */
