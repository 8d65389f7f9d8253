/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers of hits by a value, or of calls by their times, as the kernel counts them. */
#ifndef _USERSPACE_VALUE_COUNTS_H
#define _USERSPACE_VALUE_COUNTS_H

#include <stdbool.h>
#include <stdio.h>

#include "types.h"

/* The number of buckets for numbers from 0 on, and again for numbers below 0. */
#define VALUE_BUCKETS 496

/* A number with or without a sign, of 64 bits. */
typedef __int128 value_t;

/* Room for such a number as text. */
#define VALUE_LEN 24

/**
 * struct value_counts - the values of an entry; times are values without a sign, in nanoseconds
 * @hits: number of values
 * @sum: their sum, modulo 2^64
 * @least: the least one, if there is any
 * @largest: the largest one, likewise
 * @buckets: numbers of values, from the least value on: those below 0, then the others
 */
struct value_counts {
	u64 hits;
	u64 sum;
	value_t least;
	value_t largest;
	u64 buckets[2 * VALUE_BUCKETS];
};

void value_counts_take(struct value_counts *values, const char *text);
void value_counts_since(struct value_counts *values, const struct value_counts *before);
value_t value_counts_percentile(const struct value_counts *values, unsigned int percent);
double value_counts_mean(const struct value_counts *values);
void value_bucket_ends(unsigned int bucket, value_t *first, value_t *last);
unsigned int value_bucket_power(unsigned int bucket);
void value_text(value_t value, char text[VALUE_LEN]);
void value_counts_print(FILE *out, const struct value_counts *values, bool times);

#endif /* _USERSPACE_VALUE_COUNTS_H */
