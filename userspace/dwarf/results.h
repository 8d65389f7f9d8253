/* SPDX-License-Identifier: GPL-2.0 */
/* What a function returns, and where that is when it has returned. */
#ifndef _USERSPACE_RESULTS_H
#define _USERSPACE_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "location.h"

/* What the tracer and the user call the value that is returned. */
#define RETVAL "$retval"

/**
 * struct result - a value that a function returns
 * @name: its name, which only Go gives it; else %RETVAL
 * @type: its type
 * @location: where it is
 * @problem: why that cannot be said, as part of a sentence, or NULL
 */
struct result {
	const char *name;
	Dwarf_Die type;
	struct location location;
	const char *problem;
};

/**
 * struct results - all of them
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
