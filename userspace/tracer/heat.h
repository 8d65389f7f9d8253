/* SPDX-License-Identifier: GPL-2.0 */
/* How long calls take, or which values hits have, as time goes by: a heat map. */
#ifndef _USERSPACE_HEAT_H
#define _USERSPACE_HEAT_H

#include <stddef.h>
#include <stdio.h>

#include "aggregate.h"
#include "types.h"

/* The powers of two that a map shows. Numbers out of these are at its ends. */
#define HEAT_COLUMNS 30U

/**
 * struct heat_row - the calls of an interval
 * @nr: its number, from 0 on
 * @columns: their numbers, for each power of two
 */
struct heat_row {
	size_t nr;
	u64 columns[HEAT_COLUMNS];
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

void heat_add(struct heat *heat, enum aggregate_what what, const struct value_counts *values,
	      size_t nr);
void heat_print_scale(FILE *out, enum aggregate_what what);
void heat_print_row(FILE *out, enum aggregate_what what, const struct value_counts *values,
		    const char *label);
void heat_draw(FILE *out, const struct aggregate *aggregate, const struct heat *heats,
	       double seconds);
void heat_free(struct heat *heat);

#endif /* _USERSPACE_HEAT_H */
