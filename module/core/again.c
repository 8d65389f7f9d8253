// SPDX-License-Identifier: GPL-2.0
/*
 * Atomic handlers that want their task handlers called.
 *
 * A handler asks while it runs, in the trap; which ones have is kept as a mask
 * of the site's set, with a reference to it, in utask::again_set until the task
 * work of that hit.
 */
#include <linux/bits.h>

#include "again.h"
#include "consumer.h"
#include "task.h"

/* So many consumers of a site can ask. */
#define AGAIN_MAX	64

DEFINE_PER_CPU(bool, again_wanted);

/**
 * again_ask() - the running atomic handler wants task context
 *
 * Context: any; of effect in the trap only.
 */
void again_ask(void)
{
	if (irqs_disabled())
		this_cpu_write(again_wanted, true);
}

/**
 * again_bit() - the bit of a handler that has just asked
 * @c: its consumer
 * @i: where that is in its set
 *
 * One that cannot be called has missed the hit.
 *
 * Context: the trap.
 * Return: the bit for the mask, or 0.
 */
u64 again_bit(struct consumer *c, unsigned int i)
{
	this_cpu_write(again_wanted, false);
	if (!c->u->task_handler)
		return 0;
	if (i < AGAIN_MAX)
		return BIT_ULL(i);
	consumer_hit_missed(c);
	return 0;
}

/**
 * again_missed() - those who have asked cannot be called
 * @set: the consumers
 * @mask: which of them
 *
 * Context: any; the set is held, or in the trap.
 */
void again_missed(const struct consumer_set *set, u64 mask)
{
	unsigned int i;

	for (i = 0; i < set->nr && i < AGAIN_MAX; i++) {
		if (mask & BIT_ULL(i))
			consumer_hit_missed(set->consumers[i]);
	}
}

/**
 * again_note() - remember who is to be called
 * @utask: state of the current task, or NULL when there is no memory for it
 * @set: the consumers
 * @mask: which of them
 *
 * Context: the trap.
 * Return: HIT_AGAIN, with a reference to the set in utask::again_set; 0 when nobody can be.
 */
unsigned int again_note(struct utask *utask, struct consumer_set *set, u64 mask)
{
	if (!utask || !consumer_set_get(set)) {
		again_missed(set, mask);
		return 0;
	}
	utask->again_set = set;
	utask->again_mask = mask;
	return HIT_AGAIN;
}

/**
 * again_run() - call the task handlers
 * @set: the consumers, held
 * @mask: which of them
 * @regs: the task's registers
 *
 * Context: task work of the probed task; may sleep.
 */
void again_run(struct consumer_set *set, u64 mask, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < set->nr && i < AGAIN_MAX; i++) {
		struct consumer *c = set->consumers[i];

		if (!(mask & BIT_ULL(i)))
			continue;
		if (consumer_active_get(c)) {
			c->u->task_handler(c->u, regs);
			consumer_active_put(c);
		}
	}
}
