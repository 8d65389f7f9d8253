// SPDX-License-Identifier: GPL-2.0
#include "scope.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "code_place.h"
#include "dwarf_type.h"
#include "util/error.h"
#include "global.h"
#include "symbols/stack_check.h"
#include "util/util.h"
#include "location_find.h"

/* Nested blocks; a limit on hostile files. */
#define NESTING_MAX 64

static void add_variable(struct scope *scope, Dwarf_Die *die, const char *name)
{
	struct visible *v;

	scope->v = grow(scope->v, scope->n, &scope->cap, sizeof(*scope->v));
	v = &scope->v[scope->n++];
	v->die = *die;
	v->name = name;
	v->parameter = dwarf_tag(die) == DW_TAG_formal_parameter;
}

/* Add the variables of a block or a function. */
static void add_variables(struct scope *scope, Dwarf_Die *block)
{
	Dwarf_Die child;

	if (dwarf_child(block, &child))
		return;
	do {
		int tag = dwarf_tag(&child);
		const char *name;

		if (tag != DW_TAG_formal_parameter && tag != DW_TAG_variable)
			continue;
		name = die_name(&child);
		if (name)
			add_variable(scope, &child, name);
	} while (!dwarf_siblingof(&child, &child));
}

static bool has_variable(const struct scope *scope, const char *name)
{
	for (size_t i = 0; i < scope->n; i++)
		if (!strcmp(scope->v[i].name, name))
			return true;
	return false;
}

/*
 * A constant is described only once, in the original function.  Copies of the
 * function can omit the constant, and can omit a block with nothing else in it.
 */
static void add_constants(struct scope *scope, Dwarf_Die *block,
			  unsigned int depth)
{
	Dwarf_Die child;

	if (depth == NESTING_MAX || dwarf_child(block, &child))
		return;
	do {
		const char *name = die_name(&child);

		if (dwarf_tag(&child) == DW_TAG_lexical_block)
			add_constants(scope, &child, depth + 1);
		else if (dwarf_tag(&child) == DW_TAG_variable && name &&
			 dwarf_hasattr(&child, DW_AT_const_value) &&
			 !has_variable(scope, name))
			add_variable(scope, &child, name);
	} while (!dwarf_siblingof(&child, &child));
}

static void add_original(struct scope *scope, Dwarf_Die *copy)
{
	Dwarf_Attribute attr;
	Dwarf_Die original;

	if (dwarf_attr(copy, DW_AT_abstract_origin, &attr) &&
	    dwarf_formref_die(&attr, &original))
		add_constants(scope, &original, 0);
}

/* Find the function with its own code; ignore functions that were inlined into it. */
static bool find_function(struct scope *scope, Dwarf_Die *around, int n)
{
	Dwarf_Addr start;

	for (int i = 0; i < n; i++) {
		if (dwarf_tag(&around[i]) != DW_TAG_subprogram)
			continue;
		scope->frame.function = around[i];
		if (dwarf_entrypc(&around[i], &start))
			start = -1;
		scope->frame.start = start + scope->frame.info->bias;
		scope->frame.entry = stack_check_end(scope->frame.info->image,
						     scope->frame.start);
		return true;
	}
	return false;
}

static bool open_copy(struct scope *scope, const Dwarf_Die *copy)
{
	struct blocks *blocks = &scope->blocks;
	Dwarf_Die *around = NULL;
	bool found;
	int n;

	blocks->v = grow(blocks->v, blocks->n, &blocks->cap,
			 sizeof(*blocks->v));
	blocks->v[blocks->n++] = *copy;
	n = dwarf_getscopes_die(&blocks->v[0], &around);
	found = find_function(scope, around, n);
	if (n > 0)
		free(around);
	return found;
}

/*
 * Only variables up to the innermost function are visible.  If the user has named
 * a function, keep only the blocks of that function: functions that were inlined
 * into it are not visible.
 */
static bool open_place(struct scope *scope, bool named)
{
	struct blocks *blocks = &scope->blocks;
	size_t first = 0, n = 0;

	if (!blocks_find(scope->frame.info, scope->frame.addr, blocks) ||
	    !find_function(scope, blocks->v, blocks->n))
		return false;
	for (;; n++) {
		int tag = dwarf_tag(&blocks->v[n]);

		if (tag == DW_TAG_subprogram ||
		    (tag == DW_TAG_inlined_subroutine && !named))
			break;
		if (tag == DW_TAG_inlined_subroutine)
			first = n + 1;
	}
	blocks->n = n + 1 - first;
	memmove(blocks->v, blocks->v + first, blocks->n * sizeof(*blocks->v));
	return true;
}

/**
 * scope_open() - find the variables that are visible at an instruction
 * @info: the debug information
 * @place: the instruction
 * @scope: filled in on success; to be closed with scope_close()
 */
struct error *scope_open(const struct debug_info *info,
			 const struct place *place, struct scope *scope)
{
	struct error *err;

	memset(scope, 0, sizeof(*scope));
	scope->frame.info = info;
	scope->frame.addr = place->addr;
	if (!(place->inlined ? open_copy(scope, &place->copy) :
			       open_place(scope, place->named))) {
		scope_close(scope);
		err = error_new(STATUS_NOT_FOUND,
				"the code at 0x%llx of %s has no debug information, so names of variables mean nothing there; use registers: %%di",
				(unsigned long long)place->addr,
				info->image->path);
		return debug_info_excuse(info, err);
	}
	for (size_t i = 0; i < scope->blocks.n; i++)
		add_variables(scope, &scope->blocks.v[i]);
	for (size_t i = 0; i < scope->blocks.n; i++)
		add_original(scope, &scope->blocks.v[i]);
	return NULL;
}

/**
 * scope_return() - record that the function returns at this place, or has returned
 * @scope: the place
 */
void scope_return(struct scope *scope)
{
	scope->returned = true;
	results_find(&scope->frame, &scope->results);
}

void scope_close(struct scope *scope)
{
	results_free(&scope->results);
	blocks_free(&scope->blocks);
	free(scope->v);
	memset(scope, 0, sizeof(*scope));
}

/* Look for a name in the original functions: inlined copies omit names that they do not need. */
static bool was_there(const struct scope *scope, const char *name)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin, child;

	for (size_t i = 0; i < scope->blocks.n; i++) {
		if (!dwarf_attr(&scope->blocks.v[i], DW_AT_abstract_origin,
				&attr) ||
		    !dwarf_formref_die(&attr, &origin) ||
		    dwarf_child(&origin, &child))
			continue;
		do {
			const char *its = die_name(&child);

			if (its && !strcmp(its, name))
				return true;
		} while (!dwarf_siblingof(&child, &child));
	}
	return false;
}

static struct error *no_such(const struct scope *scope, const char *name)
{
	struct error *err;

	if (was_there(scope, name))
		return error_new(STATUS_REFUSED,
				 "%s cannot be fetched: it was optimized away here; take another one, or a later line with FILE:LINE, see: uprobe vars",
				 name);
	err = error_new(STATUS_NOT_FOUND,
			"there is no variable %s at this place; %s", name,
			scope->n ? "there are:" : "the function has none");
	for (size_t i = 0; i < scope->n; i++)
		error_append(err, "\n  %s", scope->v[i].name);
	return debug_info_excuse(scope->frame.info, err);
}

/**
 * scope_find() - find a variable by its name
 * @scope: the place
 * @name: the name
 * @location: set on success to its location; to be freed with location_free()
 * @variable: set on success to its description
 */
struct error *scope_find(const struct scope *scope, const char *name,
			 struct location *location, Dwarf_Die *variable)
{
	const Dwarf_Die *function = &scope->blocks.v[scope->blocks.n - 1];
	const char *problem = NULL;
	struct error *err;
	bool found = false;

	/* If the variable of an inner block is not alive yet, try the outer blocks. */
	for (size_t i = 0; i < scope->n; i++) {
		if (strcmp(scope->v[i].name, name))
			continue;
		found = true;
		*variable = scope->v[i].die;
		problem = location_find(&scope->frame, variable, location);
		if (!problem)
			break;
	}
	if (!found) {
		err = global_find(&scope->frame, function, name, variable,
				  &found);
		if (err)
			return err;
		if (found)
			problem = location_find(&scope->frame, variable,
						location);
	}
	if (!found)
		return no_such(scope, name);
	if (problem)
		return error_new(STATUS_REFUSED,
				 "%s cannot be fetched: %s; take another one, or a later line with FILE:LINE, see: uprobe vars",
				 name, problem);
	return NULL;
}
