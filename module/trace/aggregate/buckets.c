// SPDX-License-Identifier: GPL-2.0
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/log2.h>
#include <linux/seq_file.h>

#include <uprobes/uprobes.h>

#include "buckets.h"

/* Buckets for each power of two, as a power of two; smaller values have a bucket each. */
#define PER_POWER_LOG	3U
#define PER_POWER	BIT(PER_POWER_LOG)

static_assert((64U - PER_POWER_LOG + 1) * PER_POWER == UPROBE_BUCKETS);

/** aggregate_bucket_of() - find the bucket of a value */
unsigned int aggregate_bucket_of(u64 value)
{
	unsigned int power;

	if (value < PER_POWER)
		return value;
	power = ilog2(value) - PER_POWER_LOG;
	return power * PER_POWER + (value >> power);
}

/** aggregate_bucket_begin() - find the least value in a bucket */
u64 aggregate_bucket_begin(unsigned int bucket)
{
	unsigned int power;

	if (bucket < PER_POWER)
		return bucket;
	power = bucket / PER_POWER - 1;
	return (u64)(PER_POWER + bucket % PER_POWER) << power;
}

/**
 * aggregate_buckets_show() - print " FROM:N" for each bucket that is not empty
 * @m: the output
 * @buckets: the numbers in all buckets
 */
void aggregate_buckets_show(struct seq_file *m, const u64 *buckets)
{
	unsigned int i;

	for (i = 0; i < UPROBE_BUCKETS; i++) {
		if (buckets[i])
			seq_printf(m, " %llu:%llu", aggregate_bucket_begin(i), buckets[i]);
	}
}
