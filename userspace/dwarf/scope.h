/* SPDX-License-Identifier: GPL-2.0 */
/* The meaning of names at an instruction. */
#ifndef _USERSPACE_SCOPE_H
#define _USERSPACE_SCOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "blocks.h"
#include "debug_info.h"
#include "location.h"
#include "results.h"

struct error;
struct place;

/**
 * struct visible - a variable that is visible at a place
 * @die: its description
 * @name: its name; lives with the debug information
 * @parameter: it is a parameter of the function
 */
struct visible {
	Dwarf_Die die;
	const char *name;
	bool parameter;
};

/**
 * struct scope - the names that are visible at an instruction
 * @frame: the instruction
 * @blocks: the blocks around it, up to its function
 * @v: variables of the function; variables of inner blocks come first
 * @n: number of @v
 * @cap: capacity of @v
 * @returned: the function returns here, or has returned
 * @results: the values that it returns, if @returned
 */
struct scope {
	struct frame frame;
	struct blocks blocks;
	struct visible *v;
	size_t n;
	size_t cap;
	bool returned;
	struct results results;
};

struct error *scope_open(const struct debug_info *info,
			 const struct place *place, struct scope *scope);
void scope_return(struct scope *scope);
void scope_close(struct scope *scope);
struct error *scope_find(const struct scope *scope, const char *name,
			 struct location *location, Dwarf_Die *variable);

#endif /* _USERSPACE_SCOPE_H */
