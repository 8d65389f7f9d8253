// SPDX-License-Identifier: GPL-2.0
#include "value.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_type.h"
#include "error.h"
#include "util.h"

/* Another source file may know what this one only declares. */
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

/* Members of structures in registers, too. */
static struct error *go_to(struct value *value, u64 offset, u64 size,
			   const char *what)
{
	struct location *location = &value->location;

	if (location->where == WHERE_MEMORY) {
		location->offset += offset;
		return NULL;
	}
	if (location->where == WHERE_VALUE) {
		if (offset || size != 8) {
			value->bits = 8 * size;
			value->bit_offset += 8 * offset;
		}
		return NULL;
	}
	for (size_t i = 0; i < location->n; i++) {
		struct location_piece *piece = &location->pieces[i];
		struct location part;

		if (offset < piece->start ||
		    offset + size > piece->start + piece->size)
			continue;
		if (piece->problem)
			return error_new(STATUS_REFUSED,
					 "%s cannot be fetched: %s; take another one, or a later line with FILE:LINE, see: uprobe vars",
					 what, piece->problem);
		part = piece->location;
		memset(&piece->location, 0, sizeof(piece->location));
		offset -= piece->start;
		location_free(location);
		*location = part;
		return go_to(value, offset, size, what);
	}
	return error_new(STATUS_REFUSED,
			 "%s cannot be fetched: it is scattered over several registers",
			 what);
}

/**
 * value_deref() - go from a pointer to what it points to
 * @value: the pointer; changed
 * @what: what it was called, for messages
 */
struct error *value_deref(struct value *value, const char *what)
{
	Dwarf_Die target;

	if (!value->typed || !type_is_pointer(&value->type))
		return error_new(STATUS_USAGE,
				 "%s is not a pointer, so there is nothing behind it",
				 what);
	if (value->location.where == WHERE_PIECES || value->bits)
		return error_new(STATUS_REFUSED,
				 "%s cannot be followed: it is scattered over several registers",
				 what);
	value->typed = type_target(&value->type, &target);
	if (value->typed)
		value->type = target;
	location_deref(&value->location);
	return NULL;
}

/**
 * value_member() - go from a structure to a member of it
 * @value: the structure; changed
 * @name: name of the member, @len characters of it
 * @len: see @name
 * @what: what the structure was called, for messages
 */
struct error *value_member(struct value *value, const char *name, size_t len,
			   const char *what)
{
	struct member member;
	struct error *err;
	u64 size = 0;
	char *names;

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
	if (member.bits) {
		err = go_to(value, 0, 0, what);
		value->bits = member.bits;
		value->bit_offset += member.bit_offset;
		return err;
	}
	if (!type_size(&member.type, &size))
		size = 0;
	return go_to(value, member.offset, size, what);
}

/**
 * value_index() - go from an array, or a pointer to its start, to an element
 * @value: the array; changed
 * @index: number of the element
 * @what: what the array was called, for messages
 */
struct error *value_index(struct value *value, u64 index, const char *what)
{
	Dwarf_Die element;
	struct error *err;
	u64 size;

	if (value->typed && dwarf_tag(&value->type) == DW_TAG_array_type) {
		if (!type_target(&value->type, &element) ||
		    !type_size(&element, &size))
			return error_new(STATUS_REFUSED,
					 "the size of elements of %s is not known",
					 what);
		value->type = element;
		return go_to(value, index * size, size, what);
	}
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
