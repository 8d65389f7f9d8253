/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return addresses on the stacks of a process: translate them, and restore them.
 */
#ifndef _UPROBES_RET_ADDRS_H
#define _UPROBES_RET_ADDRS_H

#include <linux/types.h>

struct probed_mm;
struct pt_regs;
struct task_struct;
struct uretprobe_instance;

unsigned long ret_addr_real(struct task_struct *task, unsigned long pc, unsigned long sp);
bool ret_addr_is_trampoline(const struct uretprobe_instance *ri, unsigned long pc);
void ret_addr_restore(struct probed_mm *pmm, const struct pt_regs *regs, bool shared);
bool ret_addrs_restore(bool may_sleep);

#endif /* _UPROBES_RET_ADDRS_H */
