/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One probe of a set.
 */
#ifndef _TRACER_AGGREGATE_PROBE_H
#define _TRACER_AGGREGATE_PROBE_H

#include <linux/types.h>

struct aggregate_probe;
struct file;
struct tracer_def;

bool aggregate_probe_takes(const struct tracer_def *def);
int aggregate_probe_prepare(struct aggregate_probe *probe, struct tracer_def *def,
			    struct file *last);
void aggregate_probe_free(struct aggregate_probe *probe);

#endif /* _TRACER_AGGREGATE_PROBE_H */
