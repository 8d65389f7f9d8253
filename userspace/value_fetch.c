// SPDX-License-Identifier: GPL-2.0
/* Values as fetch arguments, in words of uprobe_events. */
#include "value.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_type.h"
#include "error.h"
#include "util.h"

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
		err = value_member(value, "str", 3, expression);
		if (err)
			return err;
	}
	if (value->typed && dwarf_tag(&value->type) != DW_TAG_array_type) {
		err = value_deref(value, expression);
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
 * value_fetch() - turn a value into an argument
 * @value: the value; changed
 * @expression: what it was called, for messages
 * @type: the type that was asked for, or NULL for its own
 * @fetch: set on success to FETCH:TYPE, from malloc()
 */
struct error *value_fetch(struct value *value, const char *expression,
			  const char *type, char **fetch)
{
	return type && is_string(type) ?
	       string_fetch(value, expression, type, fetch) :
	       number_fetch(value, expression, type, fetch);
}
