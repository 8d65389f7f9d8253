/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls under way of functions that are timed by probes at their entries and return
 * instructions.
 *
 * At both, the stack pointer is the same, and no other call in the same address space has it.  So
 * the stack pointer pairs them, even if another thread returns.  Nothing is written to the stack.
 * If a call ends without a return (longjmp(), an exception, the end of the process), it stays
 * until its place is needed.
 */
#ifndef _TRACER_CALLS_H
#define _TRACER_CALLS_H

#include <linux/atomic.h>
#include <linux/types.h>

#define AGGREGATE_CALLS 16384	/* calls that can be under way at once */

/**
 * struct aggregate_call - a call, or room for one
 * @key: tells it from others; 0 if there is none
 * @began: when it began, in nanoseconds
 */
struct aggregate_call {
	atomic64_t key;
	u64 began;
};

/**
 * struct aggregate_calls - the calls under way of a set
 * @calls: a hash table
 */
struct aggregate_calls {
	struct aggregate_call calls[AGGREGATE_CALLS];
};

bool aggregate_call_begin(struct aggregate_calls *calls, const void *function, u64 sp, u64 now);
bool aggregate_call_end(struct aggregate_calls *calls, const void *function, u64 sp, u64 *began);

#endif /* _TRACER_CALLS_H */
