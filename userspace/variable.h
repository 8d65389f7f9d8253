/* SPDX-License-Identifier: GPL-2.0 */
/* Variables and parameters by the names that the source code gives them. */
#ifndef _USERSPACE_VARIABLE_H
#define _USERSPACE_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "debug_info.h"
#include "location.h"
#include "types.h"

struct error;

/**
 * struct visible - a variable that a place can see
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
 * struct scope - what is known of names at an instruction
 * @frame: the instruction
 * @scopes: descriptions of the blocks around it, innermost first
 * @nscopes: number of @scopes
 * @v: variables of the function, those of inner blocks first
 * @n: number of @v
 * @cap: capacity of @v
 */
struct scope {
	struct frame frame;
	Dwarf_Die *scopes;
	int nscopes;
	struct visible *v;
	size_t n;
	size_t cap;
};

struct error *scope_open(const struct debug_info *info, u64 addr,
			 const Dwarf_Die *copy, struct scope *scope);
void scope_close(struct scope *scope);

struct error *variable_fetch(const struct scope *scope, const char *expression,
			     const char *type, char **fetch);
char *variable_default_name(const char *expression);
bool is_variable_expression(const char *word);

#endif /* _USERSPACE_VARIABLE_H */
