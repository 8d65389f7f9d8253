// SPDX-License-Identifier: GPL-2.0
/*
 * NAME, *NAME, NAME->MEMBER, NAME.MEMBER, NAME[N], and chains of these, as the
 * source code has them, become fetch arguments: the location of the variable,
 * then a step for each operator.
 */
#include "variable.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_type.h"
#include "error.h"
#include "scope.h"
#include "util.h"

/* An index beyond that is a mistake. */
#define INDEX_MAX 0xffffffffull

/**
 * struct value - an expression so far
 * @info: the debug information
 * @location: where the value is
 * @type: its type, if it has @typed
 * @typed: false for void
 * @bits: bits of a bit field, 0 for others
 * @bit_offset: its first bit, counted from @location
 */
struct value {
	const struct debug_info *info;
	struct location location;
	Dwarf_Die type;
	bool typed;
	unsigned int bits;
	u64 bit_offset;
};

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

static struct error *deref(struct value *value, const char *what)
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

static struct error *take_member(struct value *value, const char *name,
				 size_t len, const char *what)
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

static struct error *take_index(struct value *value, u64 index,
				const char *what)
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
	err = deref(value, what);
	if (err)
		return err;
	if (index && (!value->typed || !type_size(&value->type, &size)))
		return error_new(STATUS_REFUSED,
				 "the size of what %s points to is not known",
				 what);
	value->location.offset += index ? index * size : 0;
	return NULL;
}

static struct error *syntax(const char *expression)
{
	return error_new(STATUS_USAGE,
			 "\"%s\" is not understood; write NAME, NAME->MEMBER, NAME.MEMBER, NAME[NUMBER] or *NAME",
			 expression);
}

static size_t name_len(const char *p)
{
	size_t n = 0;

	if (isdigit((unsigned char)*p))
		return 0;
	while (isalnum((unsigned char)p[n]) || p[n] == '_' ||
	       (p[n] == ':' && p[n + 1] == ':' && ++n))
		n++;
	return n;
}

static struct error *follow(struct value *value, const char *expression,
			    const char *p)
{
	struct error *err = NULL;

	while (*p && !err) {
		char *what = xstrndup(expression, p - expression), *end;
		bool arrow = p[0] == '-' && p[1] == '>';
		size_t len;
		u64 index;

		if (arrow || *p == '.') {
			p += arrow ? 2 : 1;
			len = name_len(p);
			/* Where it is clear, either of them will do. */
			if (!len)
				err = syntax(expression);
			else if (value->typed && type_is_pointer(&value->type))
				err = deref(value, what);
			if (!err)
				err = take_member(value, p, len, what);
			p += len;
		} else if (*p == '[' && isdigit((unsigned char)p[1])) {
			index = strtoull(p + 1, &end, 0);
			if (*end != ']' || index > INDEX_MAX)
				err = syntax(expression);
			else
				err = take_index(value, index, what);
			p = end + 1;
		} else {
			err = syntax(expression);
		}
		free(what);
	}
	return err;
}

static char *plain_fetch(const struct location *location)
{
	if (location->where == WHERE_MEMORY && !location->base)
		return xasprintf("@0x%llx",
				 (unsigned long long)location->offset);
	if (location->where == WHERE_MEMORY)
		return xasprintf("%+lld(%s)", (long long)location->offset,
				 location->base);
	if (!location->base)
		return xasprintf("\\%lld", (long long)location->offset);
	return location->offset ? NULL : xstrdup(location->base);
}

static bool is_string(const char *type)
{
	return str_starts(type, "string") || str_starts(type, "ustring");
}

/* The text that a pointer points to, or that an array holds. */
static struct error *string_fetch(struct value *value, const char *expression,
				  const char *type, char **fetch)
{
	struct member member;
	struct error *err;
	char *place;

	/* Go: struct string { uint8 *str; int len; } */
	if (value->typed && type_has_members(&value->type) &&
	    type_member(&value->type, "str", 3, &member)) {
		err = take_member(value, "str", 3, expression);
		if (err)
			return err;
	}
	if (value->typed && dwarf_tag(&value->type) != DW_TAG_array_type) {
		err = deref(value, expression);
		if (err)
			return err;
	}
	place = value->location.where == WHERE_MEMORY ?
		plain_fetch(&value->location) : NULL;
	if (!place)
		return error_new(STATUS_REFUSED,
				 "%s is no string in memory; fetch it without :%s",
				 expression, type);
	*fetch = xasprintf("%s:%s", place, type);
	free(place);
	return NULL;
}

static struct error *not_a_number(const struct value *value,
				  const char *expression)
{
	struct error *err;
	Dwarf_Die type;
	char *names;

	if (!value->typed)
		return debug_info_excuse(value->info,
					 error_new(STATUS_USAGE,
						   "%s has no type; write one: %s:x64",
						   expression, expression));
	type = value->type;
	if (type_has_members(&type)) {
		names = type_member_names(&type);
		err = error_new(STATUS_USAGE,
				"%s is a structure; name one of its members: %s",
				expression, names);
		free(names);
		return err;
	}
	if (dwarf_tag(&type) == DW_TAG_array_type)
		return error_new(STATUS_USAGE,
				 "%s is an array; write %s[0], or %s:string if it holds text",
				 expression, expression, expression);
	return error_new(STATUS_REFUSED,
			 "%s has a type that cannot be fetched, such as a floating-point number; write one that can: %s:x64",
			 expression, expression);
}

static struct error *number_fetch(struct value *value, const char *expression,
				  const char *type, char **fetch)
{
	char *place = value->location.where == WHERE_PIECES ? NULL :
		      plain_fetch(&value->location);
	const char *own = value->typed ? type_for_tracer(&value->type) : NULL;
	u64 byte;

	if (!type && !own && !value->bits) {
		free(place);
		return not_a_number(value, expression);
	}
	if (!place)
		return error_new(STATUS_REFUSED,
				 "%s cannot be fetched: its value is computed where it is used",
				 expression);
	if (value->bits && !type) {
		/* Of the eight bytes from the one that it starts in. */
		byte = value->location.where == WHERE_MEMORY ?
		       value->bit_offset / 8 : 0;
		value->location.offset += byte;
		free(place);
		place = plain_fetch(&value->location);
		*fetch = xasprintf("%s:b%u@%llu/64", place, value->bits,
				   (unsigned long long)(value->bit_offset -
							8 * byte));
	} else {
		*fetch = xasprintf("%s:%s", place, type ? type : own);
	}
	free(place);
	return NULL;
}

/**
 * variable_fetch() - turn an expression of the source code into an argument
 * @scope: the place
 * @expression: a variable, perhaps with operators
 * @type: the type that was asked for, or NULL for its own
 * @fetch: set on success to FETCH:TYPE, from malloc()
 */
struct error *variable_fetch(const struct scope *scope, const char *expression,
			     const char *type, char **fetch)
{
	const char *p = expression;
	struct value value = { .info = scope->frame.info };
	Dwarf_Die variable;
	unsigned int stars = 0;
	struct error *err;
	char *name;
	size_t len;

	for (; *p == '*'; p++)
		stars++;
	len = name_len(p);
	if (!len)
		return syntax(expression);
	name = xstrndup(p, len);
	err = scope_find(scope, name, &value.location, &variable);
	if (!err)
		value.typed = type_of(&variable, &value.type);
	if (!err)
		err = follow(&value, p, p + len);
	while (!err && stars--)
		err = deref(&value, name);
	/* A reference is what it refers to, as in the source code. */
	if (!err && value.typed && dwarf_tag(&value.type) != DW_TAG_pointer_type &&
	    type_is_pointer(&value.type))
		err = deref(&value, name);
	if (!err)
		err = type && is_string(type) ?
		      string_fetch(&value, expression, type, fetch) :
		      number_fetch(&value, expression, type, fetch);
	location_free(&value.location);
	free(name);
	return err;
}

/**
 * variable_default_name() - what to call an argument that was given no name
 * @expression: the argument
 *
 * Return: NAME_MEMBER_N for NAME->MEMBER[N], from malloc().
 */
char *variable_default_name(const char *expression)
{
	char *name = xstrdup(expression);
	size_t n = 0;

	for (const char *p = expression; *p; p++) {
		if (isalnum((unsigned char)*p) || *p == '_')
			name[n++] = *p;
		else if (n && name[n - 1] != '_' && p[1] && p[1] != ']')
			name[n++] = '_';
		if (n == 31)
			break;
	}
	name[n] = '\0';
	return name;
}

/** is_variable_expression() - does this word name a variable? */
bool is_variable_expression(const char *word)
{
	return isalpha((unsigned char)*word) || *word == '_' || *word == '*';
}
