/* SPDX-License-Identifier: GPL-2.0 */
/*
 * So many in a second, and no more.
 */
#ifndef _TRACER_RATE_H
#define _TRACER_RATE_H

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/types.h>

/**
 * struct tracer_rate - a limit
 * @limit: how many a second; 0 for any number
 * @window: in its upper half the second that is being counted, in its lower
 *	half how many there were
 */
struct tracer_rate {
	u32 limit;
	atomic64_t window;
};

/**
 * tracer_rate_pass() - may there be one more now?
 * @rate: the limit
 *
 * Exact also when many CPUs ask at once.
 *
 * Context: any.
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
