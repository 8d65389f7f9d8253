/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Atomic handlers that want their task handlers called, by uprobe_again().
 */
#ifndef _UPROBES_AGAIN_H
#define _UPROBES_AGAIN_H

#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/types.h>

struct consumer;
struct consumer_set;
struct utask;

/* The running atomic handler wants task context. */
DECLARE_PER_CPU(bool, again_wanted);

/* Whether the atomic handler that has just returned does.  Context: the trap. */
static inline bool again_asked(void)
{
	if (likely(!this_cpu_read(again_wanted)))
		return false;
	this_cpu_write(again_wanted, false);
	return true;
}

void again_ask(void);
u64 again_bit(struct consumer *c, unsigned int i);
void again_missed(const struct consumer_set *set, u64 mask);
unsigned int again_note(struct utask *utask, struct consumer_set *set, u64 mask);
void again_run(struct consumer_set *set, u64 mask, struct pt_regs *regs);

#endif /* _UPROBES_AGAIN_H */
