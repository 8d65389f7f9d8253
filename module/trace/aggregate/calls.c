// SPDX-License-Identifier: GPL-2.0
#include <linux/hash.h>
#include <linux/sched.h>

#include "calls.h"

/* A call is in one of this number of places. */
#define PLACES 4U

static u64 key_of(const void *function, u64 sp)
{
	/* A task that exits keeps this one until the end. */
	u64 space = (unsigned long)current->active_mm;

	return ((unsigned long)function * GOLDEN_RATIO_64 ^ space) * GOLDEN_RATIO_64 + sp ?: 1;
}

static struct aggregate_call *place(struct aggregate_calls *calls, u64 key, unsigned int i)
{
	return &calls->calls[(hash_64(key, 32) + i) % AGGREGATE_CALLS];
}

/**
 * aggregate_call_begin() - note that a call has begun
 * @calls: the calls under way
 * @function: the function
 * @sp: the stack pointer at its entry
 * @now: the time
 *
 * A call with the same stack pointer has been left without a return.
 *
 * Context: any; other calls may begin and end meanwhile.
 * Return: false if an older call had to be forgotten.
 */
bool aggregate_call_begin(struct aggregate_calls *calls, const void *function, u64 sp, u64 now)
{
	u64 key = key_of(function, sp);
	struct aggregate_call *call, *taken = place(calls, key, 0);
	bool empty = false;
	unsigned int i;
	s64 was;

	for (i = 0; i < PLACES; i++) {
		call = place(calls, key, i);
		was = atomic64_read(&call->key);
		if (was == (s64)key) {
			WRITE_ONCE(call->began, now);
			return true;
		}
		if (empty || (was && (s64)(READ_ONCE(call->began) - READ_ONCE(taken->began)) >= 0))
			continue;
		empty = !was;
		taken = call;
	}
	/* If another call takes the place just now, the later one of both keeps it. */
	empty = !atomic64_xchg(&taken->key, key);
	WRITE_ONCE(taken->began, now);
	return empty;
}

/**
 * aggregate_call_end() - find and remove a call that has ended
 * @calls: the calls under way
 * @function: the function
 * @sp: the stack pointer at its return instruction
 * @began: set to the time when it began
 *
 * Context: as for aggregate_call_begin().
 * Return: false if the call is not known.
 */
bool aggregate_call_end(struct aggregate_calls *calls, const void *function, u64 sp, u64 *began)
{
	u64 key = key_of(function, sp);
	struct aggregate_call *call;
	unsigned int i;

	for (i = 0; i < PLACES; i++) {
		call = place(calls, key, i);
		if (atomic64_read(&call->key) != (s64)key)
			continue;
		*began = READ_ONCE(call->began);
		/* Another call may just be taking the place. */
		atomic64_cmpxchg(&call->key, key, 0);
		return true;
	}
	return false;
}
