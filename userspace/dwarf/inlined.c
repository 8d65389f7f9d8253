// SPDX-License-Identifier: GPL-2.0
#include "inlined.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "symbols/demangle.h"
#include "util/error.h"
#include "util/util.h"

/**
 * struct search - a search for copies
 * @info: the debug information
 * @name: name of the function as the user typed it
 * @symbol: its symbol, or NULL
 * @file: its source file, or NULL
 * @found: the copies that were found
 * @last: the function that was checked last
 * @wanted: @last is the function that is looked for
 */
struct search {
	const struct debug_info *info;
	const char *name;
	const char *symbol;
	const char *file;
	struct inlined *found;
	const void *last;
	bool wanted;
};

static bool is_named(Dwarf_Die *die, const struct search *search)
{
	_cleanup_free_ char *pretty = NULL;
	const char *linkage = die_linkage_name(die), *name = die_name(die);

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
	return pretty && !strcmp(pretty, search->name);
}

static bool is_from(Dwarf_Die *die, const char *file)
{
	const char *path;

	if (!file)
		return true;
	path = dwarf_decl_file(die);
	return path && path_has_tail(path, file);
}

/* Copies of one function often follow each other, so remember the last result. */
static bool is_wanted(Dwarf_Die *function, struct search *search)
{
	if (function->addr != search->last) {
		search->last = function->addr;
		search->wanted = is_named(function, search) &&
				 is_from(function, search->file);
	}
	return search->wanted;
}

/*
 * If a copy names no entry, its first address is the entry (DWARF 5, 2.18).  A
 * copy in several parts has only a list of address ranges.
 */
static bool find_entry(Dwarf_Die *copy, Dwarf_Addr *addr)
{
	Dwarf_Addr base, end;

	return !dwarf_entrypc(copy, addr) ||
	       dwarf_ranges(copy, 0, &base, addr, &end) > 0;
}

static void on_copy(Dwarf_Die *die, Dwarf_Die *function, void *arg)
{
	struct search *search = arg;
	struct inlined *found = search->found;
	struct inlined_copy copy = { .die = *die };
	Dwarf_Addr addr;

	if (!is_wanted(function, search) || !find_entry(die, &addr))
		return;
	copy.addr = addr + search->info->bias;
	for (size_t i = 0; i < found->n; i++)
		if (found->v[i].addr == copy.addr)
			return;
	found->v = grow(found->v, found->n, &found->cap, sizeof(*found->v));
	found->v[found->n++] = copy;
}

/* Copies can be nested: a limit on hostile files. */
#define NESTING_MAX 256

static void walk(Dwarf_Die *parent, unsigned int depth,
		 inlined_callback *each, void *arg)
{
	Dwarf_Die child, function;
	Dwarf_Attribute attr;

	if (depth == NESTING_MAX || dwarf_child(parent, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (!can_have_code(tag))
			continue;
		if (tag == DW_TAG_inlined_subroutine &&
		    dwarf_attr(&child, DW_AT_abstract_origin, &attr) &&
		    dwarf_formref_die(&attr, &function))
			each(&child, &function, arg);
		walk(&child, depth + 1, each, arg);
	} while (!dwarf_siblingof(&child, &child));
}

/* Mention this only once: it is the same for all functions of a file. */
static void mention_missing(const struct debug_info *info)
{
	static bool mentioned;
	_cleanup_free_ char *missing = mentioned ? NULL : debug_info_missing(info);

	if (missing)
		remark("inlined copies can be missed in %s: %s, which has part of its debug information, was not found",
		       info->image->path, missing);
	mentioned |= !!missing;
}

/**
 * inlined_each() - list all inlined copies
 * @info: the debug information
 * @each: called for each copy with the original function, whose description can
 *	be in another unit or file
 * @arg: passed on to @each
 */
void inlined_each(const struct debug_info *info, inlined_callback *each,
		  void *arg)
{
	struct unit_walk units = { .info = info };

	mention_missing(info);
	while (unit_next(&units))
		walk(&units.die, 0, each, arg);
}

static int by_addr(const void *pa, const void *pb)
{
	const struct inlined_copy *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/**
 * inlined_find() - find the inlined copies of a function
 * @info: the debug information
 * @name: its name, as the user typed it
 * @symbol: its symbol if it has one, otherwise NULL
 * @file: its source file, or NULL
 * @inlined: filled in; to be freed with inlined_free()
 */
void inlined_find(const struct debug_info *info, const char *name,
		  const char *symbol, const char *file, struct inlined *inlined)
{
	struct search search = {
		.info = info, .name = name, .symbol = symbol, .file = file,
		.found = inlined,
	};

	memset(inlined, 0, sizeof(*inlined));
	inlined_each(info, on_copy, &search);
	if (inlined->n)
		qsort(inlined->v, inlined->n, sizeof(*inlined->v), by_addr);
}

void inlined_free(struct inlined *inlined)
{
	free(inlined->v);
	memset(inlined, 0, sizeof(*inlined));
}
