/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handling a breakpoint trap: from the exception to the consumers, and on to the slot.
 */
#ifndef _UPROBES_HIT_H
#define _UPROBES_HIT_H

#include <linux/types.h>

struct notifier_block;
struct pt_regs;

int hit_trap(struct notifier_block *nb, unsigned long event, void *data);

#endif /* _UPROBES_HIT_H */
