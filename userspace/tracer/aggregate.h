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
#include "value_counts.h"

struct error;
struct follow;
struct options;
struct readers;
struct runner;

/**
 * enum aggregate_what - what the kernel counts
 * @AGGREGATE_HITS: hits
 * @AGGREGATE_TIMES: calls, by the time that they take
 * @AGGREGATE_VALUES: hits, by a value
 */
enum aggregate_what {
	AGGREGATE_HITS,
	AGGREGATE_TIMES,
	AGGREGATE_VALUES,
};

/**
 * struct aggregate_counts - counts of one entry
 * @hits: number of hits, or of calls that returned
 * @missed: number of hits or calls that could not be counted
 */
struct aggregate_counts {
	u64 hits;
	u64 missed;
};

/**
 * struct aggregate_entry - places that are counted together
 * @label: name for the user
 * @counts: counts of the last aggregate_read()
 * @before: counts of the aggregate_read() before that
 * @key: with keys, its key, or "others"; NULL for the entry of all keys
 * @of: then the number of the entry of all keys
 * @values: values, or times, of the last aggregate_read(); NULL if there never were any
 * @values_new: likewise, those that the aggregate_read() before that did not have; their least and
 *	largest one are those of the whole run
 */
struct aggregate_entry {
	char *label;
	char *key;
	size_t of;
	struct aggregate_counts counts;
	struct aggregate_counts before;
	struct value_counts *values;
	struct value_counts *values_new;
};

/**
 * struct aggregate_known - an entry, to be found by its label
 * @label: its label
 * @entry: its number
 * @used: it has been found
 */
struct aggregate_known {
	const char *label;
	size_t entry;
	bool used;
};

/**
 * struct aggregate - all entries
 * @what: what is counted
 * @value: with AGGREGATE_VALUES, the name of the value
 * @by: the name of the key, if values are counted by keys; or NULL
 * @fd: the tracer's file, -1 before aggregate_attach()
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
 * @stack: gets each line about a stack, in aggregate_read(); or NULL
 * @data: for @stack
 */
struct aggregate {
	enum aggregate_what what;
	char *value;
	char *by;
	int fd;
	struct aggregate_entry *v;
	size_t n;
	size_t cap;
	struct paths lines;
	struct paths files;
	size_t refused;
	int reason;
	struct aggregate_known *known;
	size_t nr_known;
	const struct follow *follow;
	struct missing missing;
	void (*stack)(void *data, const char *line);
	void *data;
};

size_t aggregate_add(struct aggregate *aggregate, const char *label);
void aggregate_add_site(struct aggregate *aggregate, size_t entry, char kind,
			const struct probe_site *site, const char *args);
struct error *aggregate_attach(struct aggregate *aggregate, const char *dir,
			       const struct options *options, pid_t child,
			       const struct readers *except,
			       struct runner *runner);
void aggregate_follow(struct aggregate *aggregate, const struct follow *follow);
struct error *aggregate_follow_end(struct aggregate *aggregate, size_t from, struct runner *runner);
struct error *aggregate_read(struct aggregate *aggregate);
void aggregate_report_missing(const struct aggregate *aggregate);
void aggregate_counts_since(const struct aggregate_entry *entry,
			    struct aggregate_counts *counts);
const struct value_counts *aggregate_values(const struct aggregate_entry *entry, bool since);
void aggregate_close(struct aggregate *aggregate);

#endif /* _USERSPACE_AGGREGATE_H */
