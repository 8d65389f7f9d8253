/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return probes: return instances and the trampoline.
 *
 * When a return-probed function is entered, the module exchanges the return address on the stack
 * for the address of the trampoline.  The trampoline is a breakpoint at the start of an SSOL area.
 * A return instance keeps the real return address.
 *
 * Instances are looked up by the stack address of the return address (calls.h).  So a thread may
 * switch between stacks, and another thread may continue on them.  If a call never returns
 * (longjmp()), its instances are stale.  They are recognized if their stack word holds another
 * value, or if another call is entered at their stack address.
 */
#ifndef _UPROBES_URETPROBE_H
#define _UPROBES_URETPROBE_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "arch.h"

struct consumer;
struct consumer_set;
struct site;
struct utask;

/**
 * uretprobe_can_follow() - check whether a call can be followed at all
 * @regs: user registers at the entry of the function
 *
 * A return address is restored in one exchange, for which its word must be aligned.  A user
 * shadow stack does not take the exchange.
 *
 * Context: any; the current task.
 */
static inline bool uretprobe_can_follow(const struct pt_regs *regs)
{
	return IS_ALIGNED(regs->sp, arch_word_size(regs)) && !arch_stack_fixed();
}

void uretprobe_missed(const struct consumer_set *set, const struct pt_regs *regs);

bool uretprobe_enter(const struct site *site, struct consumer *c, struct pt_regs *regs);
bool uretprobe_learn(const struct site *site, const struct pt_regs *regs);
bool uretprobe_prepare(struct utask *utask, const struct site *site,
		       const struct consumer_set *set, struct pt_regs *regs);
void uretprobe_prepare_sleepable(struct utask *utask, const struct site *site,
				 const struct consumer_set *set, struct pt_regs *regs);

#endif /* _UPROBES_URETPROBE_H */
