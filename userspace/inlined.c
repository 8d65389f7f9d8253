// SPDX-License-Identifier: GPL-2.0
#include "inlined.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "util.h"

/**
 * struct search - a search for copies
 * @info: the debug information
 * @name: name of the function as it was typed
 * @symbol: its symbol, or NULL
 * @file: the source file that it is from, or NULL
 * @found: where copies go
 */
struct search {
	const struct debug_info *info;
	const char *name;
	const char *symbol;
	const char *file;
	struct inlined *found;
};

static bool is_named(Dwarf_Die *die, const struct search *search)
{
	const char *linkage = die_linkage_name(die), *name = die_name(die);
	char *pretty;
	bool same;

	if (linkage && search->symbol)
		return !strcmp(linkage, search->symbol);
	if (!name)
		return false;
	if (!linkage)
		return !strcmp(name, search->name);
	if (!strcmp(linkage, search->name))
		return true;
	if (!strstr(search->name, name))
		return false;
	pretty = demangle(linkage, DEMANGLE_NAME);
	same = pretty && !strcmp(pretty, search->name);
	free(pretty);
	return same;
}

static bool is_from(Dwarf_Die *die, const char *file)
{
	const char *path;

	if (!file)
		return true;
	path = dwarf_decl_file(die);
	return path && path_has_tail(path, file);
}

static int on_copy(Dwarf_Die *die, void *arg)
{
	struct search *search = arg;
	struct inlined *found = search->found;
	struct inlined_copy copy = { .die = *die };
	Dwarf_Addr addr;

	if (dwarf_tag(die) != DW_TAG_inlined_subroutine ||
	    dwarf_entrypc(die, &addr))
		return DWARF_CB_OK;
	copy.addr = addr + search->info->bias;
	for (size_t i = 0; i < found->n; i++)
		if (found->v[i].addr == copy.addr)
			return DWARF_CB_OK;
	found->v = grow(found->v, found->n, &found->cap, sizeof(*found->v));
	found->v[found->n++] = copy;
	return DWARF_CB_OK;
}

static int on_function(Dwarf_Die *function, void *arg)
{
	struct search *search = arg;

	if (!dwarf_func_inline(function) || !is_named(function, search) ||
	    !is_from(function, search->file))
		return DWARF_CB_OK;
	dwarf_func_inline_instances(function, on_copy, search);
	return DWARF_CB_OK;
}

static int by_addr(const void *pa, const void *pb)
{
	const struct inlined_copy *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/**
 * inlined_find() - find the inlined copies of a function
 * @info: the debug information
 * @name: its name, as it was typed
 * @symbol: its symbol where it has one, else NULL
 * @file: the source file that it is from, or NULL
 * @inlined: filled in; to be freed with inlined_free()
 */
void inlined_find(const struct debug_info *info, const char *name,
		  const char *symbol, const char *file, struct inlined *inlined)
{
	struct search search = {
		.info = info, .name = name, .symbol = symbol, .file = file,
		.found = inlined,
	};

	struct unit_walk units = { .info = info };

	memset(inlined, 0, sizeof(*inlined));
	while (unit_next(&units))
		dwarf_getfuncs(&units.die, on_function, &search, 0);
	if (inlined->n)
		qsort(inlined->v, inlined->n, sizeof(*inlined->v), by_addr);
}

/* Copies can be nested: a limit on hostile files. */
#define NESTING_MAX 256

static void walk(Dwarf_Die *parent, unsigned int depth,
		 void (*each)(Dwarf_Die *function, void *arg), void *arg)
{
	Dwarf_Die child, function;
	Dwarf_Attribute attr;

	if (depth == NESTING_MAX || dwarf_child(parent, &child))
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_inlined_subroutine:
			if (dwarf_attr(&child, DW_AT_abstract_origin, &attr) &&
			    dwarf_formref_die(&attr, &function))
				each(&function, arg);
			break;
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
		case DW_TAG_namespace:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			break;
		default:
			continue;
		}
		walk(&child, depth + 1, each, arg);
	} while (!dwarf_siblingof(&child, &child));
}

/**
 * inlined_each() - list all inlined copies
 * @info: the debug information
 * @each: called for each, with the function
 * @arg: handed on
 */
void inlined_each(const struct debug_info *info,
		  void (*each)(Dwarf_Die *function, void *arg), void *arg)
{
	struct unit_walk units = { .info = info };

	while (unit_next(&units))
		walk(&units.die, 0, each, arg);
}

void inlined_free(struct inlined *inlined)
{
	free(inlined->v);
	memset(inlined, 0, sizeof(*inlined));
}
