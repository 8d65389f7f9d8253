// SPDX-License-Identifier: GPL-2.0
/*
 * Classify the returned values of C and C++ functions by the System V calling
 * convention (psABI for x86-64, 3.2.3).
 */
#include <dwarf.h>
#include <stdbool.h>
#include <string.h>

#include "debug_info.h"
#include "dwarf_type.h"
#include "abi_words.h"

/* Limits on hostile files. */
#define NESTING_MAX 16
#define PARTS_MAX 1000

#ifndef DW_CC_pass_by_reference
#define DW_CC_pass_by_reference 0x04
#endif
#ifndef DW_CC_pass_by_value
#define DW_CC_pass_by_value 0x05
#endif

static const char in_x87[] = "it is in a register of the x87 unit, which cannot be fetched";
static const char in_vector[] = "it is a vector, and only half of its register can be fetched";
static const char unknown[] = "the debug information does not say how the function returns it";

/**
 * struct classifying - a classification in progress
 * @words: the result
 * @left: number of parts that may still be classified
 * @nested: number of types around the current one
 */
struct classifying {
	struct words *words;
	unsigned int left;
	unsigned int nested;
};

static void classify(struct classifying *c, Dwarf_Die *type, u64 offset);

static void fail(struct classifying *c, const char *problem)
{
	if (!c->words->problem)
		c->words->problem = problem;
}

static void put(struct classifying *c, u64 offset, u64 size, enum word class)
{
	u64 first = offset / WORD_SIZE, last = (offset + size - 1) / WORD_SIZE;

	for (u64 i = first; size && i <= last && i < WORDS_MAX; i++)
		if (c->words->v[i] < class)
			c->words->v[i] = class;
}

/* A number that is not aligned belongs to a packed structure, which is returned in memory. */
static void put_aligned(struct classifying *c, u64 offset, u64 size, u64 align,
			enum word class)
{
	if (!align || offset % align)
		c->words->in_memory = true;
	else
		put(c, offset, size, class);
}

static void classify_number(struct classifying *c, Dwarf_Die *type, u64 offset,
			    u64 size)
{
	switch (type_encoding(type)) {
	case DW_ATE_float:
		if (size > WORD_SIZE)
			fail(c, in_x87);
		put_aligned(c, offset, size, size, WORD_SSE);
		break;
	case DW_ATE_complex_float:
		/* A complex long double is returned in x87 registers. */
		if (size > 2 * WORD_SIZE)
			fail(c, in_x87);
		put_aligned(c, offset, size, size / 2, WORD_SSE);
		break;
	default:
		put_aligned(c, offset, size, size, WORD_INTEGER);
	}
}

static void classify_array(struct classifying *c, Dwarf_Die *type, u64 offset,
			   u64 size)
{
	Dwarf_Die element;
	u64 each;

	if (dwarf_hasattr(type, DW_AT_GNU_vector)) {
		fail(c, in_vector);
		return;
	}
	if (!type_target(type, &element) || !type_size(&element, &each) ||
	    !each) {
		fail(c, unknown);
		return;
	}
	for (u64 at = 0; at + each <= size && c->left; at += each)
		classify(c, &element, offset + at);
}

static bool is_static(Dwarf_Die *member)
{
	return dwarf_hasattr(member, DW_AT_external) ||
	       dwarf_hasattr(member, DW_AT_declaration);
}

static bool takes_own_kind(Dwarf_Die *type, Dwarf_Die *constructor)
{
	Dwarf_Die parameter, taken, object;
	Dwarf_Attribute attr;
	bool artificial;

	if (dwarf_child(constructor, &parameter))
		return false;
	do {
		artificial = false;
		if (dwarf_attr(&parameter, DW_AT_artificial, &attr))
			dwarf_formflag(&attr, &artificial);
		if (dwarf_tag(&parameter) != DW_TAG_formal_parameter ||
		    artificial)
			continue;
		return type_of(&parameter, &taken) && type_is_pointer(&taken) &&
		       type_target(&taken, &object) &&
		       dwarf_dieoffset(&object) == dwarf_dieoffset(type);
	} while (!dwarf_siblingof(&parameter, &parameter));
	return false;
}

/* Check whether a function requires objects of the type to be copied or destroyed by code. */
static bool is_copier(Dwarf_Die *type, Dwarf_Die *function)
{
	const char *name = die_name(function), *own = die_name(type);
	size_t len;

	if (dwarf_hasattr(function, DW_AT_virtuality))
		return true;
	if (!name || !own || dwarf_hasattr(function, DW_AT_artificial) ||
	    dwarf_hasattr(function, DW_AT_deleted) ||
	    dwarf_hasattr(function, DW_AT_defaulted))
		return false;
	if (*name == '~')
		return true;
	len = strlen(name);
	return !strncmp(own, name, len) && (!own[len] || own[len] == '<') &&
	       takes_own_kind(type, function);
}

/*
 * An object with its own code for copying or destruction is returned in memory,
 * whatever its size.  Up to version 4, DWARF does not distinguish such code
 * from code that the compiler generates on request.
 */
static void classify_function(struct classifying *c, Dwarf_Die *type,
			      Dwarf_Die *function)
{
	Dwarf_Half version = 0;
	Dwarf_Die unit;

	if (dwarf_hasattr(type, DW_AT_calling_convention) ||
	    !is_copier(type, function))
		return;
	if (!dwarf_cu_die(type->cu, &unit, &version, NULL, NULL, NULL, NULL,
			  NULL) || version < 5)
		fail(c, unknown);
	else
		c->words->in_memory = true;
}

static void classify_members(struct classifying *c, Dwarf_Die *type, u64 offset)
{
	Dwarf_Die child, part;
	Dwarf_Attribute attr;
	struct member member;
	Dwarf_Word how;

	if (dwarf_attr(type, DW_AT_calling_convention, &attr) &&
	    !dwarf_formudata(&attr, &how) && how == DW_CC_pass_by_reference)
		c->words->in_memory = true;
	if (dwarf_child(type, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram)
			classify_function(c, type, &child);
		if (tag == DW_TAG_inheritance &&
		    dwarf_hasattr(&child, DW_AT_virtuality))
			c->words->in_memory = true;
		if (tag == DW_TAG_variant_part)
			fail(c, unknown);
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    is_static(&child))
			continue;
		type_place_member(&child, &member);
		if (member.nowhere || !type_of(&child, &part))
			fail(c, unknown);
		else if (member.bits)
			put(c, offset + member.bit_offset / 8,
			    (member.bit_offset % 8 + member.bits + 7) / 8,
			    WORD_INTEGER);
		else
			classify(c, &part, offset + member.offset);
	} while (c->left && !dwarf_siblingof(&child, &child));
}

static void classify(struct classifying *c, Dwarf_Die *type, u64 offset)
{
	Dwarf_Die full = *type;
	u64 size;

	if (!c->left || !--c->left || c->nested == NESTING_MAX ||
	    !type_size(&full, &size)) {
		fail(c, unknown);
		return;
	}
	c->nested++;
	if (type_has_members(&full))
		classify_members(c, &full, offset);
	else if (dwarf_tag(&full) == DW_TAG_array_type)
		classify_array(c, &full, offset, size);
	else if (dwarf_tag(&full) == DW_TAG_base_type)
		classify_number(c, &full, offset, size);
	else
		put_aligned(c, offset, size, WORD_SIZE < size ? WORD_SIZE : size,
			    WORD_INTEGER);
	c->nested--;
}

/**
 * words_classify() - find the kinds of registers that a value is returned in
 * @type: the type of the value
 * @size: the size of the value in bytes
 * @words: filled in
 */
void words_classify(Dwarf_Die *type, u64 size, struct words *words)
{
	struct classifying c = { .words = words, .left = PARTS_MAX };

	memset(words, 0, sizeof(*words));
	words->n = (size + WORD_SIZE - 1) / WORD_SIZE;
	if (words->n > WORDS_MAX && type_has_members(type)) {
		words->in_memory = true;
		return;
	}
	if (words->n > WORDS_MAX && type_encoding(type) != DW_ATE_complex_float) {
		words->problem = unknown;
		return;
	}
	classify(&c, type, 0);
}
