/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits that are counted instead of recorded.
 *
 * Each opening of the file "aggregate" is a set of its own: definitions that
 * are written to it, in the grammar of uprobe_events, are probes at once, and
 * reading it gives what they have counted so far.  When it is closed, however
 * that comes about, nothing of them is left.
 *
 * What there is, who owns it, and when it dies
 *
 *	struct aggregate	a set; lives as long as its file is open
 *	struct aggregate_batch	the probes of one write(), and their counts;
 *				owned by the set and freed with it.  Its
 *				memory never moves, because handlers use it
 *
 * A handler runs in the trap, finds its probe, and adds to counts of its CPU
 * alone; it takes no lock.  aggregate.lock protects the list of batches and is
 * held while probes are registered.
 */
#ifndef _TRACER_AGGREGATE_H
#define _TRACER_AGGREGATE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <uprobes/uprobes.h>

#include "trace/parse/def.h"
#include "trace/event/whose.h"

#define AGGREGATE_BUCKETS 64	/* one for each power of two of nanoseconds */

/**
 * struct aggregate_cell - what one CPU has counted at one probe
 * @hits: times that it was passed; for a return probe, calls that returned
 * @total: nanoseconds that these calls took together
 * @max: what the longest one took
 * @buckets: how many took 2^n to 2^(n+1) - 1 nanoseconds; these three are
 *	there for return probes only
 */
struct aggregate_cell {
	u64 hits;
	u64 total;
	u64 max;
	u64 buckets[AGGREGATE_BUCKETS];
};

/**
 * struct aggregate_probe - a probe of a set
 * @rp: the probe; for an entry probe only @rp.u is used
 * @batch: where it belongs
 * @index: its number in the batch
 * @kind: %TRACER_PROBE or %TRACER_RETURN
 * @at: while it is being added, where its line starts in what was written
 * @expect: the bytes that the instruction has to have
 * @name: what it was called
 */
struct aggregate_probe {
	struct uretprobe rp;
	struct aggregate_batch *batch;
	unsigned int index;
	enum tracer_kind kind;
	size_t at;
	u8 expect[TRACER_EXPECT_MAX];
	char name[TRACER_NAME_MAX + 1];
};

/**
 * struct aggregate_batch - the probes of one write()
 * @node: in aggregate.batches
 * @set: whose it is
 * @n: number of @probes that are registered
 * @cell_size: bytes of a cell; entry probes need the first member only
 * @cells: for each CPU, @n cells
 * @probes: the probes
 */
struct aggregate_batch {
	struct list_head node;
	struct aggregate *set;
	unsigned int n;
	size_t cell_size;
	void **cells;
	struct aggregate_probe probes[];
};

/**
 * struct aggregate - a set of probes
 * @lock: see the top of this file
 * @batches: its probes
 * @whose: whose hits count; does not change once there are probes
 */
struct aggregate {
	struct mutex lock;	/* the list of batches, and registering */
	struct list_head batches;
	struct tracer_whose whose;
};

struct aggregate *aggregate_create(void);
void aggregate_destroy(struct aggregate *set);
ssize_t aggregate_add(struct aggregate *set, char *text, size_t len);
void aggregate_sum(const struct aggregate_batch *batch, unsigned int index,
		   struct aggregate_cell *sum);

#endif /* _TRACER_AGGREGATE_H */
