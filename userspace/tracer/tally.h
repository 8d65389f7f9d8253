/* SPDX-License-Identifier: GPL-2.0 */
/* Counts and latencies that the kernel adds up. */
#ifndef _USERSPACE_TALLY_H
#define _USERSPACE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "host/library.h"
#include "util/probe_site.h"
#include "types.h"

struct error;
struct options;
struct readers;
struct runner;

#define TALLY_BUCKETS 64

/**
 * struct tally_counts - what was counted
 * @hits: times that a place was passed, or calls that returned
 * @missed: times that could not be counted
 * @total: nanoseconds that the calls took together
 * @max: what the longest one took
 * @buckets: calls that took 2^n to 2^(n+1) - 1 nanoseconds
 */
struct tally_counts {
	u64 hits;
	u64 missed;
	u64 total;
	u64 max;
	u64 buckets[TALLY_BUCKETS];
};

/**
 * struct tally_entry - what is counted together
 * @label: what to call it
 * @counts: as of the last tally_read()
 * @before: as of the one before that
 */
struct tally_entry {
	char *label;
	struct tally_counts counts;
	struct tally_counts before;
};

/**
 * struct tally - all that is counted
 * @fd: the tracer's file, -1 before tally_attach()
 * @v: what is counted
 * @n: number of @v
 * @cap: capacity of @v
 * @lines: definitions; "kN" in them is entry N
 * @files: the files that they are in
 * @refused: definitions that the kernel did not take
 * @reason: why it did not take the first of these, an errno
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
};

size_t tally_add(struct tally *tally, const char *label);
void tally_add_site(struct tally *tally, size_t entry, char kind,
		    const struct probe_site *site);
struct error *tally_attach(struct tally *tally, const char *dir,
			   const struct options *options, pid_t child,
			   const struct readers *except,
			   struct runner *runner);
struct error *tally_read(struct tally *tally);
void tally_counts_since(const struct tally_entry *entry,
			struct tally_counts *counts);
void tally_close(struct tally *tally);

#endif /* _USERSPACE_TALLY_H */
