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
 * @function: the function whose copies are being listed
 * @each: told of each copy
 * @arg: handed on to @each
 */
struct search {
	const struct debug_info *info;
	const char *name;
	const char *symbol;
	const char *file;
	Dwarf_Die *function;
	void (*each)(Dwarf_Die *function, u64 addr, void *arg);
	void *arg;
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
	const char *path = dwarf_decl_file(die);

	return !file || (path && path_has_tail(path, file));
}

static int on_copy(Dwarf_Die *copy, void *arg)
{
	struct search *search = arg;
	Dwarf_Addr addr;

	if (dwarf_tag(copy) == DW_TAG_inlined_subroutine &&
	    !dwarf_entrypc(copy, &addr))
		search->each(search->function, addr + search->info->bias,
			     search->arg);
	return DWARF_CB_OK;
}

static int on_function(Dwarf_Die *function, void *arg)
{
	struct search *search = arg;

	if (!dwarf_func_inline(function) || !is_named(function, search) ||
	    !is_from(function, search->file))
		return DWARF_CB_OK;
	search->function = function;
	dwarf_func_inline_instances(function, on_copy, search);
	return DWARF_CB_OK;
}

static void add(Dwarf_Die *function, u64 addr, void *arg)
{
	struct inlined *inlined = arg;

	(void)function;
	for (size_t i = 0; i < inlined->n; i++)
		if (inlined->addrs[i] == addr)
			return;
	inlined->addrs = grow(inlined->addrs, inlined->n, &inlined->cap,
			      sizeof(*inlined->addrs));
	inlined->addrs[inlined->n++] = addr;
}

static int by_addr(const void *pa, const void *pb)
{
	const u64 *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
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
		.each = add, .arg = inlined,
	};

	struct unit_walk units = { .info = info };

	memset(inlined, 0, sizeof(*inlined));
	while (unit_next(&units))
		dwarf_getfuncs(&units.die, on_function, &search, 0);
	if (inlined->n)
		qsort(inlined->addrs, inlined->n, sizeof(*inlined->addrs),
		      by_addr);
}

/* Copies can be nested: a limit on hostile files. */
#define NESTING_MAX 256

static void walk(struct search *search, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die child, function;
	Dwarf_Attribute attr;
	Dwarf_Addr addr;

	if (depth == NESTING_MAX || dwarf_child(parent, &child))
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_inlined_subroutine:
			if (dwarf_attr(&child, DW_AT_abstract_origin, &attr) &&
			    dwarf_formref_die(&attr, &function) &&
			    !dwarf_entrypc(&child, &addr))
				search->each(&function,
					     addr + search->info->bias,
					     search->arg);
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
		walk(search, &child, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

/**
 * inlined_each() - list all inlined copies
 * @info: the debug information
 * @each: called for each, with the function and where the copy starts
 * @arg: handed on
 */
void inlined_each(const struct debug_info *info,
		  void (*each)(Dwarf_Die *function, u64 addr, void *arg),
		  void *arg)
{
	struct search search = { .info = info, .each = each, .arg = arg };
	struct unit_walk units = { .info = info };

	while (unit_next(&units))
		walk(&search, &units.die, 0);
}

void inlined_free(struct inlined *inlined)
{
	free(inlined->addrs);
	memset(inlined, 0, sizeof(*inlined));
}
