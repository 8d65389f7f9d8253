/* SPDX-License-Identifier: GPL-2.0 */
/* The values that a function returns, and their locations after the return. */
#ifndef _USERSPACE_RESULTS_H
#define _USERSPACE_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "location.h"

/* Name of the returned value for the tracer and the user. */
#define RETVAL "$retval"

/**
 * struct result - a value that a function returns
 * @name: its name, which only Go provides; otherwise %RETVAL
 * @type: its type
 * @location: its location
 * @problem: why the location is not known, as part of a sentence, or NULL
 */
struct result {
	const char *name;
	Dwarf_Die type;
	struct location location;
	const char *problem;
};

/**
 * struct results - all values that a function returns
 * @v: the values
 * @n: number of @v; 0 for a function that returns nothing
 * @cap: capacity of @v
 */
struct results {
	struct result *v;
	size_t n;
	size_t cap;
};

void results_find(const struct frame *frame, struct results *results);
void results_free(struct results *results);

#endif /* _USERSPACE_RESULTS_H */
