/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A limit of events per second.
 */
#ifndef _TRACER_RATE_H
#define _TRACER_RATE_H

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/types.h>

/**
 * struct tracer_rate - a limit
 * @limit: how many a second; 0 for any number
 * @window: in its upper half the current second, in its lower half the number of
 *	events in that second
 */
struct tracer_rate {
	u32 limit;
	atomic64_t window;
};

/**
 * tracer_rate_pass() - count an event, unless the limit is reached
 * @rate: the limit
 *
 * The count is exact even if many CPUs call this function at the same time.
 *
 * Context: any.
 * Return: whether the event is within the limit.
 */
static inline bool tracer_rate_pass(struct tracer_rate *rate)
{
	u32 limit = READ_ONCE(rate->limit), second, count;
	s64 old, new;

	if (!limit)
		return true;
	old = atomic64_read(&rate->window);
	do {
		second = (u32)(jiffies / HZ);
		count = (u64)old >> 32 == second ? (u32)old : 0;
		if (count >= limit)
			return false;
		new = (s64)((u64)second << 32 | (count + 1));
	} while (!atomic64_try_cmpxchg(&rate->window, &old, new));
	return true;
}

#endif /* _TRACER_RATE_H */
