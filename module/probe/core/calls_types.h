/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The structures for the calls of a probed mm.  uret/calls.h and uret/return_word.h have the
 * functions.
 */
#ifndef _UPROBES_CALLS_TYPES_H
#define _UPROBES_CALLS_TYPES_H

#include <linux/atomic.h>
#include <linux/types.h>

struct call_table;

/* Values of calls::sole that are not the id of a thread. */
#define CALLS_NOBODY		0
#define CALLS_MANY		(-1)

/**
 * struct calls - the calls of an address space; part of its probed mm
 * @table: NULL until the first return probe; created under probed_mm::lock, replaced by the task
 *	that holds bit 0 of @growing
 * @sole: id of the only thread that has entered calls, CALLS_NOBODY or CALLS_MANY
 * @mixed: a thread has returned from a call that another thread had entered; never cleared
 * @widest: the largest number of return probes that a function had, or %TRAP_CONSUMERS if that is
 *	less; only grows
 * @growing: bit 0 is the lock for growing the table; tasks only try it
 * @nr: number of all instances, in use or not
 * @most: number of instances that there may be, as it was last found out; set by any task
 * @prune_at: number of instances at which to search for stale ones
 * @prune_after: with as many instances as there may be, when to search at the earliest, in jiffies
 * @reclaim_after: the earliest time at which an allocation may reclaim memory again, in jiffies;
 *	set by any task, without a lock
 */
struct calls {
	struct call_table __rcu *table;
	pid_t sole;
	bool mixed;
	unsigned int widest;
	unsigned long growing;
	atomic_t nr;
	unsigned int most;
	unsigned int prune_at;
	unsigned long prune_after;
	unsigned long reclaim_after;
};

/* The number of values of a byte. */
#define RETURN_WORDS	256

/**
 * struct return_words - known return addresses of an address space; part of its probed mm
 * @changes: how often mappings have changed since the first return probe
 * @known: the words, indexed by their lowest byte; a value at any other index means no word
 */
struct return_words {
	atomic_t changes;
	unsigned long known[RETURN_WORDS];
};

#endif /* _UPROBES_CALLS_TYPES_H */
