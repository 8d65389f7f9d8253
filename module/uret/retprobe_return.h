/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return probes: a task has returned to the trampoline.
 */
#ifndef _UPROBES_RETPROBE_RETURN_H
#define _UPROBES_RETPROBE_RETURN_H

#include "retprobe.h"

bool retprobe_trap(struct site *trampoline, struct pt_regs *regs);
void retprobe_search(struct utask *utask, struct pt_regs *regs);
void retprobe_run_sleepable(struct utask *utask, struct pt_regs *regs);
void retprobe_drop_returning(struct utask *utask);
unsigned long retprobe_released(struct image *image, const struct pt_regs *regs);

#endif /* _UPROBES_RETPROBE_RETURN_H */
