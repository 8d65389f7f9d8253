// SPDX-License-Identifier: GPL-2.0
/*
 * All CPUs share the histogram of a function: one for each CPU would take gigabytes for the
 * functions of a large program.
 */
#include <linux/atomic.h>
#include <linux/slab.h>

#include <uprobes/uprobes.h>

#include "buckets.h"
#include "times.h"

/* A try to set the longest time fails if another CPU has just set one.  Then it stays at that. */
#define TRIES	64U

/**
 * struct aggregate_times - the times of a function
 * @total: their sum in nanoseconds, modulo 2^64
 * @longest: the longest one
 * @buckets: numbers of times
 */
struct aggregate_times {
	atomic64_t total;
	atomic64_t longest;
	atomic64_t buckets[UPROBE_BUCKETS];
};

/**
 * aggregate_times_create() - make room for the times of a function
 *
 * Return: the room, charged to the current task; NULL if there is no memory.
 */
struct aggregate_times *aggregate_times_create(void)
{
	return kzalloc(sizeof(struct aggregate_times), GFP_KERNEL_ACCOUNT);
}

/** aggregate_times_free() - free the times of a function, which may be NULL */
void aggregate_times_free(struct aggregate_times *times)
{
	kfree(times);
}

/**
 * aggregate_times_add() - count a call
 * @times: the times of the function
 * @ns: how long the call took, in nanoseconds
 *
 * Context: any; other CPUs may add their calls meanwhile.
 */
void aggregate_times_add(struct aggregate_times *times, u64 ns)
{
	s64 longest = atomic64_read(&times->longest);
	unsigned int i;

	for (i = 0; i < TRIES && ns > (u64)longest; i++) {
		if (atomic64_try_cmpxchg(&times->longest, &longest, ns))
			break;
	}
	atomic64_add(ns, &times->total);
	/* Pairs with aggregate_times_read(). */
	smp_mb__before_atomic();
	atomic64_inc(&times->buckets[aggregate_bucket_of(ns)]);
}

/**
 * aggregate_times_read() - read the times of a function
 * @times: the times
 * @to: set to them; their least one is not known, and set to 0
 *
 * A call that ends meanwhile may be missing in the buckets only.
 */
void aggregate_times_read(const struct aggregate_times *times, struct uprobe_values *to)
{
	unsigned int i;

	for (i = 0; i < UPROBE_BUCKETS; i++)
		to->buckets[i] = atomic64_read(&times->buckets[i]);
	/* Pairs with aggregate_times_add(): no time in the buckets is longer than the longest. */
	smp_rmb();
	to->sum = atomic64_read(&times->total);
	to->least = 0;
	to->largest = atomic64_read(&times->longest);
}
