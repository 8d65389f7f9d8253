// SPDX-License-Identifier: GPL-2.0
#include "value.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_type.h"
#include "util/error.h"
#include "util/util.h"

/* If a source file only declares a type, look for its definition in other source files. */
static void complete(const struct debug_info *info, Dwarf_Die *type)
{
	struct unit_walk walk = { .info = info };
	const char *name = die_name(type);
	int tag = dwarf_tag(type);

	if (!name || !dwarf_hasattr(type, DW_AT_declaration))
		return;
	while (unit_next(&walk)) {
		Dwarf_Die child;

		if (dwarf_child(&walk.die, &child))
			continue;
		do {
			const char *its;

			if (dwarf_tag(&child) != tag ||
			    dwarf_hasattr(&child, DW_AT_declaration))
				continue;
			its = die_name(&child);
			if (its && !strcmp(its, name)) {
				*type = child;
				return;
			}
		} while (!dwarf_siblingof(&child, &child));
	}
}

/**
 * value_part() - go from a value to some of its bytes, also in registers
 * @value: the value; its location is changed, its type is not
 * @offset: offset of the first byte
 * @size: number of bytes
 * @what: name of these bytes, for messages
 *
 * If the bytes are in several registers, keep the pieces: a smaller part of the
 * bytes can still be in one register.
 */
struct error *value_part(struct value *value, u64 offset, u64 size,
			 const char *what)
{
	struct location *location = &value->location;

	if (location->where == WHERE_MEMORY) {
		location->offset += offset;
		return NULL;
	}
	if (location->where == WHERE_VALUE) {
		if (offset > REGISTER_BITS / 8 || size > REGISTER_BITS / 8 ||
		    value->bit_offset + 8 * (offset + size) > REGISTER_BITS)
			return error_new(STATUS_REFUSED,
					 "%s lies outside of the register that it is in",
					 what);
		value->bits = 8 * size;
		value->bit_offset += 8 * offset;
		return NULL;
	}
	value->start += offset;
	for (size_t i = 0; i < location->n; i++) {
		struct location_piece *piece = &location->pieces[i];
		struct location part;

		if (value->start < piece->start ||
		    value->start + size > piece->start + piece->size)
			continue;
		if (piece->problem)
			return error_new(STATUS_REFUSED,
					 "%s cannot be fetched: %s; take another one, or a later line with FILE:LINE, see: uprobe vars",
					 what, piece->problem);
		part = piece->location;
		memset(&piece->location, 0, sizeof(piece->location));
		offset = value->start - piece->start;
		location_free(location);
		*location = part;
		return value_part(value, offset, size, what);
	}
	return NULL;
}

/**
 * value_scattered() - explain why a value in pieces cannot be fetched
 * @value: the value
 * @what: name of the value, for messages
 */
struct error *value_scattered(const struct value *value, const char *what)
{
	const struct location *location = &value->location;
	u64 end = 0;

	for (size_t i = 0; i < location->n; i++)
		end = location->pieces[i].start + location->pieces[i].size;
	if (value->start >= end)
		return error_new(STATUS_REFUSED,
				 "%s cannot be fetched: it was optimized away here; take another one, or a later line with FILE:LINE, see: uprobe vars",
				 what);
	return error_new(STATUS_REFUSED,
			 "%s cannot be fetched: it is scattered over several registers",
			 what);
}

/**
 * value_deref() - go from a pointer to the object that it points to
 * @value: the pointer; changed
 * @what: name of the pointer, for messages
 */
struct error *value_deref(struct value *value, const char *what)
{
	Dwarf_Die target;

	if (!value->typed || !type_is_pointer(&value->type))
		return error_new(STATUS_USAGE,
				 "%s is not a pointer, so there is nothing behind it",
				 what);
	if (value->location.where == WHERE_PIECES)
		return value_scattered(value, what);
	if (value->field || value->bit_offset)
		return error_new(STATUS_REFUSED,
				 "%s cannot be followed: it is only a part of a register",
				 what);
	value->typed = type_target(&value->type, &target);
	if (value->typed)
		value->type = target;
	value->bits = 0;
	value->dimension = 0;
	location_deref(&value->location);
	return NULL;
}

/* Go to a bit field, starting at the byte that contains its first bit. */
static struct error *take_bits(struct value *value, const struct member *member,
			       const char *what)
{
	u64 byte = member->bit_offset / 8, bit = member->bit_offset % 8;
	struct error *err;

	err = value_part(value, byte, (bit + member->bits + 7) / 8, what);
	value->field = true;
	value->bits = member->bits;
	value->bit_offset += bit;
	return err;
}

/**
 * value_member() - go from a structure to one of its members
 * @value: the structure; changed
 * @name: name of the member, @len characters of it
 * @len: see @name
 * @what: name of the structure, for messages
 */
struct error *value_member(struct value *value, const char *name, size_t len,
			   const char *what)
{
	struct member member;
	struct error *err;
	char *names, *full;
	u64 size;

	if (value->typed)
		complete(value->info, &value->type);
	if (!value->typed || !type_has_members(&value->type))
		return error_new(STATUS_USAGE, "%s has no members", what);
	if (!type_member(&value->type, name, len, &member)) {
		names = type_member_names(&value->type);
		err = error_new(STATUS_NOT_FOUND,
				"%s has no member %.*s; it has: %s", what,
				(int)len, name, names);
		free(names);
		return err;
	}
	if (member.nowhere)
		return error_new(STATUS_USAGE,
				 "%.*s of %s is in a virtual base class, and only the running program knows where that is; read it from a function of that class",
				 (int)len, name, what);
	value->type = member.type;
	value->dimension = 0;
	full = xasprintf("%s.%.*s", what, (int)len, name);
	if (member.bits)
		err = take_bits(value, &member, full);
	else
		err = value_part(value, member.offset,
				 type_size(&member.type, &size) ? size : 0,
				 full);
	free(full);
	return err;
}

static struct error *take_element(struct value *value, u64 index,
				  const char *what)
{
	_cleanup_free_ char *full = NULL;
	struct array_index array;
	const char *problem;
	Dwarf_Die element;
	u64 size;

	problem = type_array_index(&value->type, value->dimension, &array);
	if (problem)
		return error_new(STATUS_REFUSED,
				 "elements of %s cannot be distinguished: %s", what,
				 problem);
	if (!type_target(&value->type, &element) || !type_size(&element, &size) ||
	    __builtin_mul_overflow(size, array.elements, &size) ||
	    size > SIZE_MAX / 2 / (index + 1))
		return error_new(STATUS_REFUSED,
				 "the size of elements of %s is not known",
				 what);
	value->dimension++;
	if (array.last) {
		value->type = element;
		value->dimension = 0;
	}
	full = xasprintf("%s[%llu]", what, (unsigned long long)index);
	return value_part(value, index * size, size, full);
}

/**
 * value_index() - go from an array, or a pointer to its start, to an element
 * @value: the array; changed
 * @index: number of the element
 * @what: name of the array, for messages
 */
struct error *value_index(struct value *value, u64 index, const char *what)
{
	struct error *err;
	u64 size;

	if (value->typed && dwarf_tag(&value->type) == DW_TAG_array_type)
		return take_element(value, index, what);
	err = value_deref(value, what);
	if (err)
		return err;
	if (index && (!value->typed || !type_size(&value->type, &size)))
		return error_new(STATUS_REFUSED,
				 "the size of what %s points to is not known",
				 what);
	value->location.offset += index ? index * size : 0;
	return NULL;
}
