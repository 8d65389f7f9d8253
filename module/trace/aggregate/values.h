/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits counted by a value: a histogram.
 */
#ifndef _TRACER_AGGREGATE_VALUES_H
#define _TRACER_AGGREGATE_VALUES_H

#include <linux/types.h>

struct aggregate_values;
struct file;
struct pt_regs;
struct seq_file;
struct tracer_def;
struct uprobe;

/**
 * enum aggregate_from - where a hit comes from
 * @AGGREGATE_TRAP: the trap; absent memory cannot be read
 * @AGGREGATE_RING: a ring; memory cannot be read at all
 * @AGGREGATE_TASK: task context
 */
enum aggregate_from {
	AGGREGATE_TRAP,
	AGGREGATE_RING,
	AGGREGATE_TASK,
};

bool aggregate_values_takes(const struct tracer_def *def);
struct aggregate_values *aggregate_values_create(struct tracer_def *def);
void aggregate_values_free(struct aggregate_values *values);
int aggregate_values_place(struct aggregate_values *values, struct file *file);
void aggregate_values_in_pad(struct aggregate_values *values, struct uprobe *u);
bool aggregate_values_in_ring(struct aggregate_values *values, struct uprobe *u);
bool aggregate_values_count(struct aggregate_values *values, const struct pt_regs *regs,
			    unsigned long ip, enum aggregate_from from);
void aggregate_values_show(struct aggregate_values *values, const char *name, u64 missed,
			   struct seq_file *m);

#endif /* _TRACER_AGGREGATE_VALUES_H */
