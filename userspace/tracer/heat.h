/* SPDX-License-Identifier: GPL-2.0 */
/* How long calls take as time goes by: a heat map, in a terminal or as a picture. */
#ifndef _USERSPACE_HEAT_H
#define _USERSPACE_HEAT_H

#include <stddef.h>
#include <stdio.h>

#include "tally.h"
#include "types.h"

/**
 * struct heat_row - the calls of an interval
 * @end: when it ended, in seconds since 1970
 * @hits: number of calls
 * @buckets: as in struct tally_counts
 */
struct heat_row {
	long long end;
	u64 hits;
	u64 buckets[TALLY_BUCKETS];
};

/**
 * struct heat - the intervals of a function
 * @v: the intervals
 * @n: number of @v
 * @cap: capacity of @v
 */
struct heat {
	struct heat_row *v;
	size_t n;
	size_t cap;
};

void heat_add(struct heat *heat, const struct tally_counts *counts);
void heat_print_scale(FILE *out);
void heat_print_row(FILE *out, const struct tally_counts *counts, const char *label);
void heat_draw(FILE *out, const struct tally *tally, const struct heat *heats);
void heat_free(struct heat *heat);

#endif /* _USERSPACE_HEAT_H */
