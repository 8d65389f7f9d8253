/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits counted by their user stacks.
 */
#ifndef _TRACER_AGGREGATE_STACKS_H
#define _TRACER_AGGREGATE_STACKS_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "trace/parse/def.h"
#include "trace/parse/record.h"

struct pt_regs;
struct seq_file;

/* Number of different stacks of a set. */
#define AGGREGATE_STACKS 4096U

/**
 * struct aggregate_stack - a stack, and how often it was met
 * @key: a hash of all below; 0 if the place is free.  Two stacks of one hash count as one
 * @hits: number of hits
 * @ready: what follows is filled in
 * @probe: the probe that was hit
 * @pid: the process, as the initial pid namespace numbers it
 * @nr: number of @addrs
 * @addrs: the addresses, the innermost one first
 */
struct aggregate_stack {
	atomic64_t key;
	atomic64_t hits;
	bool ready;
	const void *probe;
	pid_t pid;
	unsigned int nr;
	u64 addrs[TRACER_STACK_MAX];
};

/**
 * struct aggregate_stacks - the stacks of a set
 * @v: a hash table
 *
 * The set owns it.  Any hit may take a free place, by exchanging its key; no place becomes free
 * again before the set ends.
 */
struct aggregate_stacks {
	struct aggregate_stack v[AGGREGATE_STACKS];
};

int aggregate_stacks_make(struct aggregate_stacks **stacks);
bool aggregate_stack_count(struct aggregate_stacks *stacks, const void *probe,
			   const struct pt_regs *regs, enum tracer_at at);
void aggregate_stacks_show(const struct aggregate_stacks *stacks, const void *probe,
			   const char *name, struct seq_file *m);

#endif /* _TRACER_AGGREGATE_STACKS_H */
