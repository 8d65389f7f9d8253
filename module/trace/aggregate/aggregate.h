/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Count hits instead of recording them.
 *
 * Each opening of the file "aggregate" creates a set of probes.  A definition that is written to
 * the file, in the grammar of uprobe_events, is registered at once.  A read returns the counts so
 * far.  When the file is closed for any reason, all its probes are unregistered.
 *
 * Objects, their owners and their lifetimes
 *
 *	struct aggregate	a set; lives while its file is open
 *	struct aggregate_batch	the probes of one write(), and their counts;
 *				owned by the set and freed with it.  Its
 *				memory never moves, because handlers use it
 *
 * A handler runs in the trap, finds its probe, and changes counts of its own CPU, or what all CPUs
 * share (times, stacks, calls under way) by atomic operations.  It takes no lock.  aggregate.lock
 * protects the list of batches, and is held while probes are registered.
 */
#ifndef _TRACER_AGGREGATE_H
#define _TRACER_AGGREGATE_H

#include "aggregate_types.h"

struct aggregate *aggregate_create(void);
void aggregate_destroy(struct aggregate *set);
ssize_t aggregate_add(struct aggregate *set, char *text, size_t len);
void aggregate_sum(const struct aggregate_batch *batch, unsigned int index,
		   struct aggregate_cell *sum, struct uprobe_values *times);

#endif /* _TRACER_AGGREGATE_H */
