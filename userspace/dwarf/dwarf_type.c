// SPDX-License-Identifier: GPL-2.0
#include "dwarf_type.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug_info.h"
#include "util/util.h"

/* Nested structures and names of types; a limit on hostile files. */
#define NESTING_MAX 16
/* Number of members that are searched for one name. */
#define MEMBERS_MAX	100000U
/* An upper bound of at least this value means that there is no bound, or -1. */
#define ELEMENTS_MAX	0xffffffffU

/**
 * type_of() - get the type of a variable, member or function
 * @die: the variable, member or function
 * @type: set to its type, without const, typedef and the like
 *
 * Return: whether it has a type; void does not count.
 */
bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die raw;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) &&
	       dwarf_formref_die(&attr, &raw) && !dwarf_peel_type(&raw, type);
}

/**
 * type_target() - get the type that a pointer or reference points to, or of array elements
 * @type: the pointer, reference or array
 * @target: set to that type
 */
bool type_target(Dwarf_Die *type, Dwarf_Die *target)
{
	return type_of(type, target);
}

bool type_size(Dwarf_Die *type, u64 *size)
{
	Dwarf_Word bytes;

	if (dwarf_aggregate_size(type, &bytes))
		return false;
	*size = bytes;
	return true;
}

/** type_is_pointer() - check whether a type is a pointer or a reference */
bool type_is_pointer(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return true;
	default:
		return false;
	}
}

/** type_encoding() - get DW_ATE_* of a base type, 0 for other types */
unsigned int type_encoding(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_tag(type) != DW_TAG_base_type ||
	    !dwarf_attr(type, DW_AT_encoding, &attr) ||
	    dwarf_formudata(&attr, &value))
		return 0;
	return value;
}

/* Check for the tag of a type that has members. */
bool tag_has_members(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

bool type_has_members(Dwarf_Die *type)
{
	return tag_has_members(dwarf_tag(type));
}

static bool enum_is_signed(Dwarf_Die *type)
{
	Dwarf_Die base;

	if (type_of(type, &base))
		return type_encoding(&base) == DW_ATE_signed;
	return false;
}

/**
 * type_for_tracer() - get the type of the fetch argument for a value
 * @type: type of the value
 *
 * Return: its name, or NULL for values that are not numbers.
 */
const char *type_for_tracer(Dwarf_Die *type)
{
	static const char *const names[][4] = {
		{ "u8", "u16", "u32", "u64" }, { "s8", "s16", "s32", "s64" },
		{ "x8", "x16", "x32", "x64" },
	};
	unsigned int kind = 0, width;
	const char *name;
	u64 size;

	if (!type_size(type, &size))
		return NULL;
	switch (size) {
	case 1:
		width = 0;
		break;
	case 2:
		width = 1;
		break;
	case 4:
		width = 2;
		break;
	case 8:
		width = 3;
		break;
	default:
		return NULL;
	}
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_ptr_to_member_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_unspecified_type:
		return names[2][width];
	case DW_TAG_enumeration_type:
		kind = enum_is_signed(type);
		break;
	case DW_TAG_base_type:
		switch (type_encoding(type)) {
		case DW_ATE_address:
			return names[2][width];
		case DW_ATE_signed_char:
		case DW_ATE_unsigned_char:
			name = die_name(type);
			if (!width && name && !strcmp(name, "char"))
				return "char";
			kind = type_encoding(type) == DW_ATE_signed_char;
			break;
		case DW_ATE_float:
			return size == 4 ? "f32" : size == 8 ? "f64" : NULL;
		case DW_ATE_signed:
			kind = 1;
			break;
		case DW_ATE_unsigned:
		case DW_ATE_boolean:
		case DW_ATE_UTF:
			break;
		default:
			return NULL;
		}
		break;
	default:
		return NULL;
	}
	return names[kind][width];
}

/* Qualifiers that a type has by the types around it. */
enum { CONST = 1, VOLATILE = 2 };

static const char *const qualifier_names[] = {
	"", "const", "volatile", "const volatile",
};

static void put_named(FILE *out, const char *kind, const char *name, unsigned int qualifiers)
{
	fprintf(out, "%s%s%s%s", qualifier_names[qualifiers], qualifiers ? " " : "", kind, name);
}

static void put_type(FILE *out, Dwarf_Die *type, unsigned int qualifiers, unsigned int depth);

/* Write the type that a type is made from. */
static void put_target(FILE *out, Dwarf_Die *type, unsigned int qualifiers, unsigned int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die target;

	if (depth < NESTING_MAX && dwarf_attr_integrate(type, DW_AT_type, &attr) &&
	    dwarf_formref_die(&attr, &target))
		put_type(out, &target, qualifiers, depth + 1);
	else
		put_named(out, "", "void", qualifiers);
}

/* As in C, the qualifiers of an array are those of its elements, which may have the same ones. */
static void put_array(FILE *out, Dwarf_Die *type, unsigned int qualifiers, unsigned int depth)
{
	Dwarf_Die element;
	u64 size, each;

	put_target(out, type, qualifiers, depth);
	if (type_target(type, &element) && type_size(type, &size) &&
	    type_size(&element, &each) && each)
		fprintf(out, "[%llu]", (unsigned long long)(size / each));
	else
		fputs("[]", out);
}

/* The qualifiers of a pointer stand behind it: those before it are of what it points to. */
static void put_pointer(FILE *out, Dwarf_Die *type, const char *sign, unsigned int qualifiers,
			unsigned int depth)
{
	put_target(out, type, 0, depth);
	fprintf(out, " %s%s", sign, qualifier_names[qualifiers]);
}

static void put_type(FILE *out, Dwarf_Die *type, unsigned int qualifiers, unsigned int depth)
{
	const char *name = die_name(type);
	int tag = dwarf_tag(type);

	switch (tag) {
	case DW_TAG_const_type:
		put_target(out, type, qualifiers | CONST, depth);
		break;
	case DW_TAG_volatile_type:
		put_target(out, type, qualifiers | VOLATILE, depth);
		break;
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		put_target(out, type, qualifiers, depth);
		break;
	case DW_TAG_structure_type:
		put_named(out, "struct ", name ? name : "{}", qualifiers);
		break;
	case DW_TAG_union_type:
		put_named(out, "union ", name ? name : "{}", qualifiers);
		break;
	case DW_TAG_enumeration_type:
		put_named(out, "enum ", name ? name : "{}", qualifiers);
		break;
	case DW_TAG_subroutine_type:
		put_named(out, "", "function", qualifiers);
		break;
	default:
		/* Pointers and slices of Go have names. */
		if (!name && type_is_pointer(type))
			put_pointer(out, type, tag == DW_TAG_pointer_type ? "*" :
				    tag == DW_TAG_reference_type ? "&" : "&&", qualifiers, depth);
		else if (!name && tag == DW_TAG_array_type)
			put_array(out, type, qualifiers, depth);
		else
			put_named(out, "", name ? name : "?", qualifiers);
	}
}

/**
 * type_name() - write a type approximately as in the source code
 * @type: the type, with typedefs
 *
 * Return: its name, from malloc().
 */
char *type_name(Dwarf_Die *type)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return xstrdup("?");
	put_type(out, type, 0, 0);
	fclose(out);
	return text;
}

static bool number(Dwarf_Die *die, unsigned int name, u64 *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &word))
		return false;
	*value = word;
	return true;
}

/*
 * Count the elements of an array whose indices start at 0, as in C.  @count is 0 if the number
 * is not known.  Return NULL, or why the array cannot be indexed, as part of a sentence.
 */
static const char *count_elements(Dwarf_Die *range, u64 *count)
{
	Dwarf_Sword lower = 0;
	Dwarf_Attribute attr;
	Dwarf_Die unit;

	if (dwarf_hasattr(range, DW_AT_byte_stride) ||
	    dwarf_hasattr(range, DW_AT_bit_stride))
		return "there are gaps between them";
	if (dwarf_attr(range, DW_AT_lower_bound, &attr)) {
		if (dwarf_formsdata(&attr, &lower))
			return "they are counted from a number that only the program knows";
	} else if (dwarf_diecu(range, &unit, NULL, NULL)) {
		dwarf_default_lower_bound(dwarf_srclang(&unit), &lower);
	}
	if (lower)
		return "they are not counted from 0";
	*count = 0;
	if (!number(range, DW_AT_count, count) &&
	    number(range, DW_AT_upper_bound, count))
		*count = *count < ELEMENTS_MAX ? *count + 1 : 0;
	return NULL;
}

/**
 * type_array_index() - find the distance between elements for one index of an array
 * @type: the array
 * @dimension: which of its indices; the first one is 0
 * @array: filled in on success
 *
 * Return: NULL, or why the distance is not known, as part of a sentence.
 */
const char *type_array_index(Dwarf_Die *type, unsigned int dimension,
			     struct array_index *array)
{
	unsigned int n = 0;
	const char *problem;
	Dwarf_Die child;
	u64 count;

	*array = (struct array_index){ .elements = 1, .last = true };
	if (dwarf_hasattr(type, DW_AT_byte_stride) ||
	    dwarf_hasattr(type, DW_AT_bit_stride) ||
	    dwarf_hasattr(type, DW_AT_ordering))
		return "they are not one behind the other";
	if (dwarf_child(type, &child))
		return NULL;
	do {
		if (dwarf_tag(&child) == DW_TAG_enumeration_type)
			return "they are not counted by numbers";
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		problem = count_elements(&child, &count);
		if (problem)
			return problem;
		if (n++ <= dimension)
			continue;
		if (!count ||
		    __builtin_mul_overflow(array->elements, count,
					   &array->elements))
			return "only the program knows how many there are in a row";
		array->last = false;
	} while (!dwarf_siblingof(&child, &child));
	return NULL;
}

/* DWARF 2 gives the offset as an operation, later versions give it as a number. */
static bool member_offset(Dwarf_Die *die, u64 *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (number(die, DW_AT_data_member_location, offset))
		return true;
	if (!dwarf_attr(die, DW_AT_data_member_location, &attr))
		return true;
	if (dwarf_getlocation(&attr, &ops, &n) || n != 1 ||
	    ops[0].atom != DW_OP_plus_uconst)
		return false;
	*offset = ops[0].number;
	return true;
}

/**
 * type_place_member() - find the position of a member
 * @die: its description
 * @member: filled in, except its type
 */
void type_place_member(Dwarf_Die *die, struct member *member)
{
	u64 bits, at, size;

	memset(member, 0, sizeof(*member));
	member->nowhere = !member_offset(die, &member->offset);
	if (!number(die, DW_AT_bit_size, &bits))
		return;
	member->bits = bits;
	if (number(die, DW_AT_data_bit_offset, &at)) {
		member->bit_offset = at;
	} else if (number(die, DW_AT_bit_offset, &at)) {
		/* DWARF 3 counts from the most significant bit of the unit. */
		if (!number(die, DW_AT_byte_size, &size) &&
		    !(type_of(die, &member->type) &&
		      type_size(&member->type, &size)))
			size = 4;
		member->bit_offset = 8 * (member->offset + size) - at - bits;
	} else {
		member->bit_offset = 8 * member->offset;
	}
}

/* A static member of a class is a separate variable; the class only declares it. */
static bool member_is_static(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_external) ||
	       dwarf_hasattr(die, DW_AT_declaration);
}

/* @left limits the number of members to search: a hostile file can nest without end. */
static bool find_member(Dwarf_Die *type, const char *name, size_t len,
			unsigned int depth, unsigned int *left,
			struct member *member)
{
	Dwarf_Die child;

	if (depth == NESTING_MAX || dwarf_child(type, &child))
		return false;
	do {
		const char *its = die_name(&child);
		struct member outer;
		Dwarf_Die inner;

		if (!*left)
			return false;
		(*left)--;

		switch (dwarf_tag(&child)) {
		case DW_TAG_member:
			if (member_is_static(&child))
				continue;
			if (its && strlen(its) == len &&
			    !strncmp(its, name, len)) {
				type_place_member(&child, member);
				return type_of(&child, &member->type);
			}
			if (its)
				continue;
			break;
		case DW_TAG_inheritance:
			break;
		case DW_TAG_variant_part:
		case DW_TAG_variant:
			/* Each variant of a Rust enumeration is a member. */
			if (find_member(&child, name, len, depth + 1, left,
					member))
				return true;
			continue;
		default:
			continue;
		}
		/* Members of base classes and of unnamed members belong to the type itself. */
		if (!type_of(&child, &inner) || !type_has_members(&inner) ||
		    !find_member(&inner, name, len, depth + 1, left, member))
			continue;
		type_place_member(&child, &outer);
		member->nowhere |= outer.nowhere;
		member->offset += outer.offset;
		member->bit_offset += 8 * outer.offset;
		return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/**
 * type_member() - find a member of a structure
 * @type: the structure, class or union
 * @name: name of the member, @len characters of it
 * @len: see @name
 * @member: filled in if it is found
 */
bool type_member(Dwarf_Die *type, const char *name, size_t len,
		 struct member *member)
{
	unsigned int left = MEMBERS_MAX;
	Dwarf_Die full = *type;

	return find_member(&full, name, len, 0, &left, member);
}

static void add_names(Dwarf_Die *type, unsigned int depth, unsigned int *left,
		      char **names)
{
	Dwarf_Die child, inner;
	char *more;

	if (depth == NESTING_MAX || dwarf_child(type, &child))
		return;
	do {
		const char *name = die_name(&child);

		if (!*left)
			return;
		(*left)--;
		switch (dwarf_tag(&child)) {
		case DW_TAG_variant_part:
		case DW_TAG_variant:
			add_names(&child, depth + 1, left, names);
			continue;
		case DW_TAG_inheritance:
			name = NULL;
			break;
		case DW_TAG_member:
			if (member_is_static(&child))
				continue;
			break;
		default:
			continue;
		}
		if (name) {
			more = xasprintf("%s%s%s", *names, **names ? " " : "",
					 name);
			free(*names);
			*names = more;
		} else if (type_of(&child, &inner) && type_has_members(&inner)) {
			add_names(&inner, depth + 1, left, names);
		}
	} while (!dwarf_siblingof(&child, &child));
}

/**
 * type_member_names() - list the members of a structure
 * @type: the structure
 *
 * Return: their names, separated by blanks, from malloc(). The list includes the members of
 * base classes and of unnamed members.
 */
char *type_member_names(Dwarf_Die *type)
{
	unsigned int left = MEMBERS_MAX;
	char *names = xstrdup("");
	Dwarf_Die full = *type;

	add_names(&full, 0, &left, &names);
	return names;
}
