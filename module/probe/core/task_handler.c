// SPDX-License-Identifier: GPL-2.0
/*
 * Task handlers that atomic handlers ask for.
 *
 * An atomic handler asks while it runs in the trap.  utask::hit.handler_mask has a bit for each
 * consumer of utask::hit.set that has asked.
 */
#include <linux/bits.h>
#include <linux/minmax.h>

#include "task_handler.h"
#include "consumer.h"
#include "task.h"

DEFINE_PER_CPU(bool, task_handler_wanted);

/**
 * task_handler_ask() - ask for the task handler of the running atomic handler
 *
 * Context: any; has an effect only in the trap.
 */
void task_handler_ask(void)
{
	if (irqs_disabled())
		this_cpu_write(task_handler_wanted, true);
}

/**
 * task_handler_bit() - get the bit of a handler that has just asked
 * @c: its consumer
 * @i: index of @c in the consumer set
 *
 * The mask has a bit for each of the %TRAP_CONSUMERS.
 *
 * Context: the trap.
 * Return: the bit for the mask, or 0.
 */
u64 task_handler_bit(struct consumer *c, unsigned int i)
{
	this_cpu_write(task_handler_wanted, false);
	return c->u->task_handler ? BIT_ULL(i) : 0;
}

/**
 * task_handlers_missed() - count hits as missed whose task handlers cannot be called
 * @set: the consumers
 * @mask: bits of the consumers that have asked
 *
 * Context: any, with a reference to @set; or the trap.
 */
void task_handlers_missed(const struct consumer_set *set, u64 mask)
{
	unsigned int i;

	for (i = 0; i < min(set->nr, TRAP_CONSUMERS); i++) {
		if (mask & BIT_ULL(i))
			consumer_hit_missed(set->consumers[i]);
	}
}

/**
 * task_handlers_run() - call the task handlers
 * @set: the consumers; the caller holds a reference
 * @mask: bits of the consumers that have asked
 * @regs: the task's registers
 *
 * Context: task work of the probed task; may sleep.
 */
void task_handlers_run(struct consumer_set *set, u64 mask, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < min(set->nr, TRAP_CONSUMERS); i++) {
		struct consumer *c = set->consumers[i];

		if (!(mask & BIT_ULL(i)))
			continue;
		if (consumer_active_get(c)) {
			c->u->task_handler(c->u, regs);
			consumer_active_put(c);
		}
	}
}
