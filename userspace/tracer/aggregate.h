/* SPDX-License-Identifier: GPL-2.0 */
/* Counts and latencies that the kernel adds up. */
#ifndef _USERSPACE_AGGREGATE_H
#define _USERSPACE_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "host/library.h"
#include "missing.h"
#include "util/probe_site.h"
#include "types.h"

struct error;
struct follow;
struct options;
struct readers;
struct runner;

#define TALLY_BUCKETS 64

/**
 * struct tally_counts - counts of one entry
 * @hits: number of hits, or of calls that returned
 * @missed: number of hits or calls that could not be counted
 * @total: nanoseconds that all calls took together
 * @max: nanoseconds that the longest call took
 * @buckets: [n] is the number of calls that took 2^n to 2^(n+1) - 1 nanoseconds
 */
struct tally_counts {
	u64 hits;
	u64 missed;
	u64 total;
	u64 max;
	u64 buckets[TALLY_BUCKETS];
};

/**
 * struct tally_entry - places that are counted together
 * @label: name for the user
 * @counts: counts of the last tally_read()
 * @before: counts of the tally_read() before that
 */
struct tally_entry {
	char *label;
	struct tally_counts counts;
	struct tally_counts before;
};

/**
 * struct tally_known - an entry, to be found by its label
 * @label: its label
 * @entry: its number
 * @used: it has been found
 */
struct tally_known {
	const char *label;
	size_t entry;
	bool used;
};

/**
 * struct tally - all entries
 * @fd: the tracer's file, -1 before tally_attach()
 * @v: the entries
 * @n: number of @v
 * @cap: capacity of @v
 * @lines: definitions; "kN" in them is entry N
 * @files: the files that are probed
 * @refused: number of definitions that the kernel refused
 * @reason: why it refused the first of these, an errno
 * @known: the entries by label, while files are followed
 * @nr_known: number of @known
 * @follow: the files that were replaced, while their places are added again; or NULL
 * @missing: the places in processes that its probes were left out of
 * @stack: gets each line about a stack, in tally_read(); or NULL
 * @data: for @stack
 */
struct tally {
	int fd;
	struct tally_entry *v;
	size_t n;
	size_t cap;
	struct paths lines;
	struct paths files;
	size_t refused;
	int reason;
	struct tally_known *known;
	size_t nr_known;
	const struct follow *follow;
	struct missing missing;
	void (*stack)(void *data, const char *line);
	void *data;
};

size_t tally_add(struct tally *tally, const char *label);
void tally_add_site(struct tally *tally, size_t entry, char kind,
		    const struct probe_site *site, const char *exits);
struct error *tally_attach(struct tally *tally, const char *dir,
			   const struct options *options, pid_t child,
			   const struct readers *except,
			   struct runner *runner);
void tally_follow(struct tally *tally, const struct follow *follow);
struct error *tally_follow_end(struct tally *tally, size_t from, struct runner *runner);
struct error *tally_read(struct tally *tally);
void tally_tell_missing(const struct tally *tally);
void tally_counts_since(const struct tally_entry *entry,
			struct tally_counts *counts);
void tally_close(struct tally *tally);

#endif /* _USERSPACE_AGGREGATE_H */
