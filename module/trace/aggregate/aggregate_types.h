/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of probes that count hits.
 */
#ifndef _TRACER_AGGREGATE_TYPES_H
#define _TRACER_AGGREGATE_TYPES_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <uprobes/uprobes.h>

#include "trace/parse/def.h"
#include "trace/event/event_types.h"

/**
 * struct aggregate_cell - the counts of one CPU for one probe
 * @hits: number of hits; for a return probe, number of calls that have returned
 * @lost: number of calls that were forgotten before they returned: too many were under way; or of
 *	hits that could not be counted by their stacks
 */
struct aggregate_cell {
	u64 hits;
	u64 lost;
};

struct aggregate_calls;
struct aggregate_probe;
struct aggregate_stacks;
struct aggregate_values;

/**
 * struct aggregate_exit - a probe on a return instruction, or in front of one
 * @u: the probe; uprobe::timer_below is also used without a timer
 * @function: that of the function
 */
struct aggregate_exit {
	struct uprobe u;
	struct aggregate_probe *function;
};

/**
 * struct aggregate_exits - the probes on all return instructions of a function
 * @n: number of them
 * @us: all of them, then the one on the entry
 * @exits: the probes
 */
struct aggregate_exits {
	unsigned int n;
	struct uprobe **us;
	struct aggregate_exit exits[];
};

/**
 * struct aggregate_probe - a probe of a set
 * @rp: the probe; for an entry probe, and for one with @exits, only @rp.u is used
 * @exits: for a return probe that is given the return instructions, the probes on these, which take
 *	the place of an exchanged return address; or NULL
 * @values: if hits are counted by a value, the counts, with the definition; or NULL
 * @timer: for a return probe that does not count by a value, how long calls take; or NULL
 * @batch: its batch
 * @index: its index in the batch
 * @kind: %TRACER_PROBE or %TRACER_RETURN
 * @all_tasks: hits of all tasks in the probed processes count
 * @counts_all: all hits count, so that the module's own count of them suffices
 * @stack: hits are also counted by their stacks, which begin there; %TRACER_AT_ANY: they are not
 * @at: while it is being added, the offset of its line in the written text
 * @expect: bytes that the instruction must have
 * @name: its name in the definition
 */
struct aggregate_probe {
	struct uretprobe rp;
	struct aggregate_exits *exits;
	struct aggregate_values *values;
	struct uprobe_timer *timer;
	struct aggregate_batch *batch;
	unsigned int index;
	enum tracer_kind kind;
	bool all_tasks;
	bool counts_all;
	enum tracer_at stack;
	size_t at;
	u8 expect[TRACER_EXPECT_MAX];
	char name[TRACER_NAME_MAX + 1];
};

/**
 * struct aggregate_batch - the probes of one write()
 * @node: node in aggregate.batches
 * @set: its set
 * @n: number of @probes that are registered
 * @size: number of @probes that there is room for
 * @cells: for each CPU, @n cells; NULL if no probe uses them: those that only count, see
 *	%UPROBE_COUNT, or count by a value, do not
 * @probes: the probes
 */
struct aggregate_batch {
	struct list_head node;
	struct aggregate *set;
	unsigned int n;
	unsigned int size;
	struct aggregate_cell **cells;
	struct aggregate_probe probes[];
};

/**
 * struct aggregate - a set of probes
 * @lock: see the top of this file
 * @batches: its probes
 * @calls: calls under way of functions with exits; NULL until there is one
 * @stacks: hits counted by stacks; NULL until a probe wants that
 * @tasks: selection of the tasks whose hits count; does not change once there are probes
 */
struct aggregate {
	struct mutex lock;	/* the list of batches, and registering */
	struct list_head batches;
	struct aggregate_calls *calls;
	struct aggregate_stacks *stacks;
	struct tracer_tasks tasks;
};

#endif /* _TRACER_AGGREGATE_TYPES_H */
