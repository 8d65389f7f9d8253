/* SPDX-License-Identifier: GPL-2.0 */
/* The current task. If shim_killed is set, it is being killed. */
#ifndef _SHIM_LINUX_SCHED_SIGNAL_H
#define _SHIM_LINUX_SCHED_SIGNAL_H

#include <linux/kernel.h>

struct task_struct;

#define current ((struct task_struct *)NULL)

extern bool shim_killed;

static inline bool fatal_signal_pending(const struct task_struct *task)
{
	return !task && shim_killed;
}

#endif /* _SHIM_LINUX_SCHED_SIGNAL_H */
