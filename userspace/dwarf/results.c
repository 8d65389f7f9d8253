// SPDX-License-Identifier: GPL-2.0
/*
 * The debug information describes only the type of a returned value.  The calling
 * convention gives its location:
 *
 *	int f(void)			%ax
 *	double f(void)			%xmm0
 *	struct { long a; double b; }	%ax and %xmm0
 *	struct { long a[3]; }		memory, at %ax
 *	func F() (string, error)	%ax, %bx and %cx, %di, in Go
 */
#include "results.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_type.h"
#include "symbols/go_symbols.h"
#include "util/util.h"
#include "abi_words.h"

#define NESTING_MAX 16

static const char unknown[] = "the debug information does not say how the function returns it";
static const char in_x87[] = "it is in a register of the x87 unit, which cannot be fetched";

static struct result *add(struct results *results, const char *name)
{
	struct result *result;

	results->v = grow(results->v, results->n, &results->cap,
			  sizeof(*results->v));
	result = &results->v[results->n++];
	memset(result, 0, sizeof(*result));
	result->name = name;
	return result;
}

static void add_piece(struct location *location, u64 start, u64 size,
		      const char *base)
{
	struct location_piece *piece;

	location->where = WHERE_PIECES;
	location->pieces = xreallocarray(location->pieces, location->n + 1,
					 sizeof(*location->pieces));
	piece = &location->pieces[location->n++];
	memset(piece, 0, sizeof(*piece));
	piece->start = start;
	piece->size = size;
	piece->location.base = xstrdup(base);
}

static void in_memory(struct location *location)
{
	location->where = WHERE_MEMORY;
	location->base = xstrdup(RETVAL);
}

/* If the whole value is in one register, convert the location to one without pieces. */
static void settle(struct location *location, u64 size)
{
	struct location_piece *piece = location->pieces;
	struct location whole;

	if (location->n != 1 || piece->start || piece->size < size)
		return;
	whole = piece->location;
	free(piece);
	*location = whole;
}

/* Place a value by the System V calling convention for 64 bits. */
static void place_words(struct result *result, u64 size)
{
	static const char *const integer[] = { RETVAL, "%dx" };
	static const char *const sse[] = { "%xmm0", "%xmm1" };
	unsigned int integers = 0, floats = 0;
	struct words words;

	words_classify(&result->type, size, &words);
	result->problem = words.in_memory ? NULL : words.problem;
	if (words.in_memory)
		in_memory(&result->location);
	if (words.in_memory || words.problem)
		return;
	for (unsigned int i = 0; i < words.n; i++) {
		const char *base = words.v[i] == WORD_SSE ? sse[floats++] :
				   words.v[i] == WORD_INTEGER ?
				   integer[integers++] : NULL;

		if (base)
			add_piece(&result->location, i * WORD_SIZE, WORD_SIZE,
				  base);
	}
	if (!result->location.n)
		result->problem = "nothing is in it";
}

/*
 * Place a value by the System V calling convention for 32 bits.  On Linux, structures are
 * returned in memory.
 */
static void place_narrow(struct result *result, u64 size)
{
	unsigned int encoding = type_encoding(&result->type);

	if (type_has_members(&result->type) ||
	    encoding == DW_ATE_complex_float) {
		in_memory(&result->location);
	} else if (encoding == DW_ATE_float) {
		result->problem = in_x87;
	} else if (size > 8 || dwarf_tag(&result->type) == DW_TAG_array_type) {
		result->problem = unknown;
	} else {
		add_piece(&result->location, 0, 4, RETVAL);
		if (size > 4)
			add_piece(&result->location, 4, 4, "%dx");
	}
}

/* Rust does not define its calling convention; these cases have never changed so far. */
static void place_rust(struct result *result, u64 size)
{
	struct member start, length;

	if (!type_has_members(&result->type)) {
		place_words(result, size);
	} else if (size > WORDS_MAX * WORD_SIZE) {
		in_memory(&result->location);
	} else if (type_member(&result->type, "data_ptr", 8, &start) &&
		   type_member(&result->type, "length", 6, &length)) {
		add_piece(&result->location, start.offset, 8, RETVAL);
		add_piece(&result->location, length.offset, 8, "%dx");
	} else {
		result->problem = "Rust does not tell how it returns structures";
	}
}

/**
 * struct go_assignment - registers of a Go function's results
 * @integers: number of general-purpose registers in use
 * @floats: number of SSE registers in use
 */
struct go_assignment {
	size_t integers;
	size_t floats;
};

#define GO_FLOATS 15

static bool assign_go(struct go_assignment *taken, struct location *location,
		      Dwarf_Die *type, u64 offset, unsigned int depth);

static bool assign_members(struct go_assignment *taken,
			   struct location *location, Dwarf_Die *type,
			   u64 offset, unsigned int depth)
{
	struct member member;
	Dwarf_Die child, part;

	if (dwarf_child(type, &child))
		return true;
	do {
		if (dwarf_tag(&child) != DW_TAG_member)
			continue;
		type_place_member(&child, &member);
		if (member.nowhere || member.bits || !type_of(&child, &part) ||
		    !assign_go(taken, location, &part, offset + member.offset,
			       depth + 1))
			return false;
	} while (!dwarf_siblingof(&child, &child));
	return true;
}

/* By Go's internal ABI, each number in a value gets the next register, or none of them does. */
static bool assign_go(struct go_assignment *taken, struct location *location,
		      Dwarf_Die *type, u64 offset, unsigned int depth)
{
	unsigned int encoding = type_encoding(type);
	Dwarf_Die full = *type;
	char base[8];
	u64 size;

	if (depth == NESTING_MAX || !type_size(&full, &size) ||
	    dwarf_tag(&full) == DW_TAG_array_type ||
	    encoding == DW_ATE_complex_float)
		return false;
	if (type_has_members(&full))
		return assign_members(taken, location, &full, offset, depth);
	if (encoding == DW_ATE_float) {
		if (taken->floats == GO_FLOATS)
			return false;
		snprintf(base, sizeof(base), "%%xmm%zu", taken->floats++);
		add_piece(location, offset, size, base);
		return true;
	}
	if (taken->integers == go_registers_n)
		return false;
	add_piece(location, offset, size, taken->integers ?
		  go_registers[taken->integers] : RETVAL);
	taken->integers++;
	return true;
}

static void find_go(const struct frame *frame, struct results *results)
{
	bool registers = go_has_register_abi(frame->info->image);
	struct go_assignment taken = { 0 }, before;
	Dwarf_Die function = frame->function, child;

	if (dwarf_child(&function, &child))
		return;
	do {
		Dwarf_Attribute attr;
		struct result *result;
		bool is = false;
		u64 size;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    !dwarf_attr_integrate(&child, DW_AT_variable_parameter,
					  &attr) ||
		    dwarf_formflag(&attr, &is) || !is)
			continue;
		result = add(results, die_name(&child));
		if (!result->name)
			result->name = RETVAL;
		before = taken;
		if (!type_of(&child, &result->type) || !registers ||
		    !assign_go(&taken, &result->location, &result->type, 0,
			       0)) {
			taken = before;
			location_free(&result->location);
			result->problem = registers ?
				"it is on the stack" :
				"Go before 1.18 returns it on the stack";
		} else if (type_size(&result->type, &size)) {
			settle(&result->location, size);
		}
	} while (!dwarf_siblingof(&child, &child));
}

/**
 * results_find() - find the values that a function returns, and their locations
 * @frame: an instruction of the function
 * @results: filled in; to be freed with results_free()
 */
void results_find(const struct frame *frame, struct results *results)
{
	bool wide = frame->info->image->ehdr.e_machine == EM_X86_64;
	Dwarf_Die function = frame->function, unit, type;
	struct result *result;
	int language = 0;
	u64 size;

	memset(results, 0, sizeof(*results));
	if (dwarf_diecu(&function, &unit, NULL, NULL))
		language = dwarf_srclang(&unit);
	if (language == DW_LANG_Go) {
		find_go(frame, results);
		return;
	}
	if (!type_of(&function, &type))
		return;
	result = add(results, RETVAL);
	result->type = type;
	if (!type_size(&type, &size))
		result->problem = unknown;
	else if (!wide)
		place_narrow(result, size);
	else if (language == DW_LANG_Rust)
		place_rust(result, size);
	else
		place_words(result, size);
	settle(&result->location, size);
}

void results_free(struct results *results)
{
	for (size_t i = 0; i < results->n; i++)
		location_free(&results->v[i].location);
	free(results->v);
	memset(results, 0, sizeof(*results));
}
