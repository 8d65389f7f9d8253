/* SPDX-License-Identifier: GPL-2.0 */
/* Find the one place that a function's name stands for, or explain the failure. */
#ifndef _USERSPACE_LOOKUP_H
#define _USERSPACE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "demangle.h"
#include "symbols.h"

struct error;

/**
 * struct matches - symbols that a name stands for
 * @v: the symbols; one per address after lookup_function()
 * @n: number of @v
 * @cap: capacity of @v
 */
struct matches {
	const struct symbol **v;
	size_t n;
	size_t cap;
};

struct error *lookup_function(struct symbols *syms, const char *name,
			      const char *qualifier, bool all,
			      struct matches *found);
bool lookup_is_symbol(const struct symbols *syms, const char *name);
bool lookup_names_one(struct symbols *syms, const char *name);
void matches_add(struct matches *matches, const struct symbol *sym);
void matches_free(struct matches *matches);

#endif /* _USERSPACE_LOOKUP_H */
