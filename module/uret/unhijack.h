/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return addresses on the stacks of a process: what they stand for, and how they are put back.
 */
#ifndef _UPROBES_UNHIJACK_H
#define _UPROBES_UNHIJACK_H

#include <linux/types.h>

struct image;
struct pt_regs;
struct task_struct;
struct uretprobe_instance;

unsigned long retprobe_real_pc(struct task_struct *task, unsigned long pc, unsigned long sp);
bool retprobe_is_trampoline(const struct uretprobe_instance *ri, unsigned long pc);
void retprobe_lift(struct image *image, const struct pt_regs *regs, bool shared);
bool retprobe_put_back(bool may_sleep);

#endif /* _UPROBES_UNHIJACK_H */
