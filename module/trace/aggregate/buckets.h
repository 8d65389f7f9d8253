/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buckets of a histogram, see UPROBE_BUCKETS.
 */
#ifndef _TRACER_AGGREGATE_BUCKETS_H
#define _TRACER_AGGREGATE_BUCKETS_H

#include <linux/types.h>

struct seq_file;

unsigned int aggregate_bucket_of(u64 value);
u64 aggregate_bucket_begin(unsigned int bucket);
void aggregate_buckets_show(struct seq_file *m, const u64 *buckets);

#endif /* _TRACER_AGGREGATE_BUCKETS_H */
