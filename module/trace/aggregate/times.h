/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long the calls of a function take: a histogram.
 */
#ifndef _TRACER_AGGREGATE_TIMES_H
#define _TRACER_AGGREGATE_TIMES_H

#include <linux/types.h>

struct aggregate_times;
struct uprobe_values;

struct aggregate_times *aggregate_times_create(void);
void aggregate_times_free(struct aggregate_times *times);
void aggregate_times_add(struct aggregate_times *times, u64 ns);
void aggregate_times_read(const struct aggregate_times *times, struct uprobe_values *to);

#endif /* _TRACER_AGGREGATE_TIMES_H */
