/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Task handlers that atomic handlers ask for by uprobe_again().
 */
#ifndef _UPROBES_TASK_HANDLER_H
#define _UPROBES_TASK_HANDLER_H

#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/types.h>

struct consumer;
struct consumer_set;
struct utask;

/* The running atomic handler has asked for its task handler. */
DECLARE_PER_CPU(bool, task_handler_wanted);

/* Check and clear whether the handler that has just returned has asked.  Context: the trap. */
static inline bool task_handler_asked(void)
{
	if (likely(!this_cpu_read(task_handler_wanted)))
		return false;
	this_cpu_write(task_handler_wanted, false);
	return true;
}

void task_handler_ask(void);
u64 task_handler_bit(struct consumer *c, unsigned int i);
void task_handlers_missed(const struct consumer_set *set, u64 mask);
void task_handlers_run(struct consumer_set *set, u64 mask, struct pt_regs *regs);

#endif /* _UPROBES_TASK_HANDLER_H */
