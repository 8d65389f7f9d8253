// SPDX-License-Identifier: GPL-2.0
/*
 * The histograms that pads add values to, and what they say.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/string.h>

#include "pad_values.h"
#include "jump_types.h"

/* Get the largest number of hits that a pad can have counted: one per nanosecond and CPU. */
u64 pad_most(const struct pad_count *pads)
{
	u64 most;

	if (check_mul_overflow(ktime_get_mono_fast_ns() - pads->since, (u64)num_possible_cpus(),
			       &most))
		return U64_MAX;
	return most;
}

/* Begin with no value. */
void values_clear(struct uprobe_values *values)
{
	memset(values, 0, sizeof(*values));
	values->least = U64_MAX;
}

/* Check whether there is a value. */
bool values_any(const struct uprobe_values *values)
{
	return values->largest || values->buckets[0];
}

/* Add values to others. */
void values_join(struct uprobe_values *to, const struct uprobe_values *from)
{
	unsigned int i;

	if (!values_any(from))
		return;
	to->sum += from->sum;
	to->least = min(to->least, from->least);
	to->largest = max(to->largest, from->largest);
	for (i = 0; i < PAD_BUCKETS; i++)
		to->buckets[i] += from->buckets[i];
}

/**
 * struct values_range - what the buckets of a histogram say about the values
 * @first: the lowest bucket with a value
 * @last: the highest one
 * @low: the sum of the least values that they can be
 * @high: the sum of the largest values
 * @wide: the sums have more than 64 bits
 */
struct values_range {
	unsigned int first;
	unsigned int last;
	u64 low;
	u64 high;
	bool wide;
};

static void range_add(struct values_range *range, unsigned int bucket, u64 n)
{
	u64 low, high;

	range->wide |= check_mul_overflow(n, pad_bucket_begin(bucket), &low) ||
		       check_add_overflow(range->low, low, &range->low);
	range->wide |= check_mul_overflow(n, pad_bucket_begin(bucket + 1) - 1, &high) ||
		       check_add_overflow(range->high, high, &range->high);
	range->first = min(range->first, bucket);
	range->last = bucket;
}

/* Read a bucket of several histograms of a pad. */
static u64 bucket_read(const struct pad_count *pads, unsigned int bucket, unsigned int first,
		       unsigned int behind)
{
	u64 n = 0;

	for (; first < behind; first++)
		n += READ_ONCE(pad_values_of(pads->values, pads->cpus, first)->buckets[bucket]);
	return n;
}

/*
 * Add the histogram of a pad to @to: that of the key at @place; or those of all processors.  The
 * program can write to it, so accept no more values than it can have added, and a sum and extremes
 * that such values can have.
 */
void values_take(struct uprobe_values *to, const struct pad_count *pads, unsigned int place)
{
	bool keyed = pads->consumer->keyed;
	unsigned int first = keyed ? place : 0, i;
	unsigned int behind = keyed ? place + 1 : pad_values_nr(pads->cpus);
	struct values_range range = { .first = PAD_BUCKETS };
	u64 n, most = pad_most(pads), sum = 0, least = U64_MAX, largest = 0;
	const struct pad_values *from;

	for (i = 0; i < PAD_BUCKETS; i++) {
		n = min(bucket_read(pads, i, first, behind), most);
		if (!n)
			continue;
		most -= n;
		to->buckets[i] += n;
		range_add(&range, i, n);
	}
	if (range.first == PAD_BUCKETS)
		return;
	/* A pad writes the extremes first, and the sum last. */
	smp_rmb();
	/* A thread that has changed the processor in a pad has added to several. */
	for (i = first; i < behind; i++) {
		from = pad_values_of(pads->values, pads->cpus, i);
		sum += READ_ONCE(from->sum);
		least = min(least, READ_ONCE(from->least));
		largest = max(largest, READ_ONCE(from->largest));
	}
	to->sum += range.wide ? sum : clamp(sum, range.low, range.high);
	to->least = min(to->least, clamp(least, pad_bucket_begin(range.first),
					 pad_bucket_begin(range.first + 1) - 1));
	to->largest = max(to->largest, clamp(largest, pad_bucket_begin(range.last),
					     pad_bucket_begin(range.last + 1) - 1));
}

/* Reset a histogram of a pad. */
void values_begin(struct pad_values *values)
{
	unsigned int i;

	for (i = 0; i < PAD_BUCKETS; i++)
		WRITE_ONCE(values->buckets[i], 0);
	WRITE_ONCE(values->sum, 0);
	WRITE_ONCE(values->least, U64_MAX);
	WRITE_ONCE(values->largest, 0);
}
