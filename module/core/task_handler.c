// SPDX-License-Identifier: GPL-2.0
/*
 * Atomic handlers that want their task handlers called.
 *
 * A handler asks while it runs, in the trap; which ones have is kept as a mask
 * of the site's set, with a reference to it, in utask::hit.handlers until the task
 * work of that hit.
 */
#include <linux/bits.h>

#include "task_handler.h"
#include "consumer.h"
#include "task.h"

/* So many consumers of a site can ask. */
#define TASK_HANDLERS_MAX	64

DEFINE_PER_CPU(bool, task_handler_wanted);

/**
 * task_handler_ask() - the running atomic handler wants task context
 *
 * Context: any; of effect in the trap only.
 */
void task_handler_ask(void)
{
	if (irqs_disabled())
		this_cpu_write(task_handler_wanted, true);
}

/**
 * task_handler_bit() - the bit of a handler that has just asked
 * @c: its consumer
 * @i: where that is in its set
 *
 * One that cannot be called has missed the hit.
 *
 * Context: the trap.
 * Return: the bit for the mask, or 0.
 */
u64 task_handler_bit(struct consumer *c, unsigned int i)
{
	this_cpu_write(task_handler_wanted, false);
	if (!c->u->task_handler)
		return 0;
	if (i < TASK_HANDLERS_MAX)
		return BIT_ULL(i);
	consumer_hit_missed(c);
	return 0;
}

/**
 * task_handlers_missed() - those who have asked cannot be called
 * @set: the consumers
 * @mask: which of them
 *
 * Context: any; the set is held, or in the trap.
 */
void task_handlers_missed(const struct consumer_set *set, u64 mask)
{
	unsigned int i;

	for (i = 0; i < set->nr && i < TASK_HANDLERS_MAX; i++) {
		if (mask & BIT_ULL(i))
			consumer_hit_missed(set->consumers[i]);
	}
}

/**
 * task_handlers_note() - remember who is to be called
 * @utask: state of the current task, or NULL when there is no memory for it
 * @set: the consumers
 * @mask: which of them
 *
 * Context: the trap.
 * Return: HIT_TASK_HANDLERS, with a reference to the set in utask::hit.handlers; 0 when
 * nobody can be.
 */
unsigned int task_handlers_note(struct utask *utask, struct consumer_set *set, u64 mask)
{
	if (!utask || !consumer_set_get(set)) {
		task_handlers_missed(set, mask);
		return 0;
	}
	utask->hit.handlers = set;
	utask->hit.handler_mask = mask;
	return HIT_TASK_HANDLERS;
}

/**
 * task_handlers_run() - call the task handlers
 * @set: the consumers, held
 * @mask: which of them
 * @regs: the task's registers
 *
 * Context: task work of the probed task; may sleep.
 */
void task_handlers_run(struct consumer_set *set, u64 mask, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < set->nr && i < TASK_HANDLERS_MAX; i++) {
		struct consumer *c = set->consumers[i];

		if (!(mask & BIT_ULL(i)))
			continue;
		if (consumer_active_get(c)) {
			c->u->task_handler(c->u, regs);
			consumer_active_put(c);
		}
	}
}
