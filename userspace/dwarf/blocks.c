// SPDX-License-Identifier: GPL-2.0
#include "blocks.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_type.h"
#include "util/util.h"

/* Blocks can be nested: a limit on hostile files. */
#define NESTING_MAX 256

/**
 * struct search - a search for blocks
 * @pc: address of the instruction, in terms of the debug information
 * @thorough: also search functions that do not contain the instruction
 * @found: the blocks, outermost first until the search has ended
 */
struct search {
	Dwarf_Addr pc;
	bool thorough;
	struct blocks *found;
};

static bool has_addresses(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return true;
	default:
		return false;
	}
}

/* Check for a description that can contain functions and has no addresses of its own. */
static bool has_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:	/* in Rust */
	case DW_TAG_variant_part:
	case DW_TAG_variant:
		return true;
	default:
		return tag_has_members(tag);
	}
}

static bool descend(struct search *search, Dwarf_Die *parent)
{
	struct blocks *found = search->found;
	Dwarf_Die child;

	if (found->n == NESTING_MAX || dwarf_child(parent, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		bool inside = has_addresses(tag) &&
			      dwarf_haspc(&child, search->pc) > 0;

		if (!inside && !has_functions(tag) &&
		    !(search->thorough && has_addresses(tag)))
			continue;
		found->v = grow(found->v, found->n, &found->cap,
				sizeof(*found->v));
		found->v[found->n++] = child;
		if (descend(search, &child) || inside)
			return true;
		found->n--;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/**
 * blocks_find() - find the blocks that contain an instruction
 * @info: the debug information
 * @addr: address of the instruction, in terms of the program headers
 * @blocks: filled in; to be freed with blocks_free() in any case
 *
 * Unlike dwarf_getscopes(), this finds functions within namespaces and types,
 * where some compilers put them, and functions within functions.
 *
 * Return: whether the function of the instruction is known.
 */
bool blocks_find(const struct debug_info *info, u64 addr,
		 struct blocks *blocks)
{
	struct search search = { .pc = addr - info->bias, .found = blocks };
	Dwarf_Die unit;
	bool found;

	memset(blocks, 0, sizeof(*blocks));
	if (!unit_at(info, addr, &unit))
		return false;
	found = descend(&search, &unit);
	if (!found) {
		search.thorough = true;
		found = descend(&search, &unit);
	}
	for (size_t i = 0; i < blocks->n / 2; i++) {
		Dwarf_Die *a = &blocks->v[i];
		Dwarf_Die *b = &blocks->v[blocks->n - 1 - i], swapped = *a;

		*a = *b;
		*b = swapped;
	}
	return found;
}

/**
 * is_function_block() - check whether a block is a whole function
 * @block: the block
 */
bool is_function_block(Dwarf_Die *block)
{
	int tag = dwarf_tag(block);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/**
 * can_have_code() - check whether a description can contain functions or blocks
 * @tag: the tag of a description
 */
bool can_have_code(int tag)
{
	return has_addresses(tag) || has_functions(tag);
}

void blocks_free(struct blocks *blocks)
{
	free(blocks->v);
	memset(blocks, 0, sizeof(*blocks));
}
