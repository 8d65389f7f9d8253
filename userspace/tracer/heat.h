/* SPDX-License-Identifier: GPL-2.0 */
/* How long calls take, or which values hits have, as time goes by: a heat map. */
#ifndef _USERSPACE_HEAT_H
#define _USERSPACE_HEAT_H

#include <stddef.h>
#include <stdio.h>

#include "aggregate.h"
#include "types.h"

/**
 * struct heat_row - the calls of an interval
 * @nr: its number, from 0 on
 * @buckets: as in struct aggregate_counts
 */
struct heat_row {
	size_t nr;
	u64 buckets[AGGREGATE_BUCKETS];
};

/**
 * struct heat - the intervals of a function
 * @v: the intervals that have calls
 * @n: number of @v
 * @cap: capacity of @v
 * @hits: number of all calls
 */
struct heat {
	struct heat_row *v;
	size_t n;
	size_t cap;
	u64 hits;
};

void heat_add(struct heat *heat, const struct aggregate_counts *counts, size_t nr);
void heat_print_scale(FILE *out, enum aggregate_what what);
void heat_print_row(FILE *out, enum aggregate_what what, const struct aggregate_counts *counts,
		    const char *label);
void heat_draw(FILE *out, const struct aggregate *aggregate, const struct heat *heats,
	       double seconds);
void heat_free(struct heat *heat);

#endif /* _USERSPACE_HEAT_H */
