/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an image has of the calls under way in its return-probed functions: the
 * structures alone (uret/calls.h, uret/return_word.h).
 */
#ifndef _UPROBES_CALLS_TYPES_H
#define _UPROBES_CALLS_TYPES_H

#include <linux/atomic.h>
#include <linux/types.h>

struct call_table;

/* In struct calls::sole. */
#define CALLS_NOBODY		0
#define CALLS_MANY		(-1)

/**
 * struct calls - the calls of an address space; part of its image
 * @table: NULL until the first return probe; changed under probed_mm::lock, later by who grows it
 * @sole: id of the only thread that has entered calls, CALLS_NOBODY or CALLS_MANY
 * @mixed: a thread has returned from a call that another one had entered; never cleared
 * @widest: the most return probes that a function had; only grows
 * @growing: bit 0 is a lock that is only tried: somebody grows the table
 * @nr: instances that there are, used or not
 * @prune_at: how many there are to be when stale ones are looked for
 * @prune_after: and not before this, in jiffies, if there are CALLS_MAX
 */
struct calls {
	struct call_table __rcu *table;
	pid_t sole;
	bool mixed;
	unsigned int widest;
	unsigned long growing;
	atomic_t nr;
	unsigned int prune_at;
	unsigned long prune_after;
};

/* As many as a byte has values. */
#define RETURN_WORDS	256

/**
 * struct return_words - words of an address space that are return addresses; part of its image
 * @changes: how often mappings have changed, while there are return probes
 * @known: the words, each at the place that its lowest byte says; what is not at its own is none
 */
struct return_words {
	atomic_t changes;
	unsigned long known[RETURN_WORDS];
};

#endif /* _UPROBES_CALLS_TYPES_H */
