// SPDX-License-Identifier: GPL-2.0
/* Convert numbers to fetch arguments of uprobe_events. */
#include "value_number.h"
#include "value.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_type.h"
#include "util/error.h"
#include "util/util.h"

/**
 * value_plain_fetch() - make a fetch argument without a type
 * @location: location of the value to fetch; not of %WHERE_PIECES
 *
 * Return: the argument, from malloc(); NULL for a value that is computed.
 */
char *value_plain_fetch(const struct location *location)
{
	if (location->where == WHERE_MEMORY && !location->base)
		return xasprintf("@0x%llx",
				 (unsigned long long)location->offset);
	if (location->where == WHERE_MEMORY)
		return xasprintf("%+lld(%s)", (long long)location->offset,
				 location->base);
	return location->offset ? NULL : xstrdup(location->base);
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
		err = *names ?
		      error_new(STATUS_USAGE,
				"%s is a structure; name one of its members: %s",
				expression, names) :
		      error_new(STATUS_REFUSED,
				"%s is a structure without members, so there is nothing to fetch",
				expression);
		free(names);
		return err;
	}
	if (dwarf_tag(&type) == DW_TAG_array_type)
		return error_new(STATUS_USAGE,
				 "%s is an array; write %s[0], or %s:string if it holds text",
				 expression, expression, expression);
	return error_new(STATUS_REFUSED,
			 "%s has a type that cannot be shown, such as long double or a number of 128 bits; write one that can: %s:x64",
			 expression, expression);
}

/* Parse a type: u, s or x with a number of bits.  Return the letter, or 0 for other types. */
static char number_type(const char *type, u64 *bits)
{
	static const u64 widths[] = { 8, 16, 32, 64 };
	char *end;

	if (!strchr("usx", type[0]))
		return 0;
	*bits = strtoull(type + 1, &end, 10);
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (*bits == widths[i] && !*end)
			return type[0];
	return 0;
}

static u64 low_bits(u64 value, u64 bits)
{
	return bits < 64 ? value & ((1ULL << bits) - 1) : value;
}

/* Write a constant in the form of its type; the tracer has nothing to fetch. */
static char *constant_fetch(const struct value *value, const char *own,
			    const char *type)
{
	u64 number = (u64)value->location.offset, bits = value->bits, size;

	if (!bits && value->typed) {
		Dwarf_Die whole = value->type;

		bits = type_size(&whole, &size) ? 8 * size : 0;
	}
	if (bits && bits <= REGISTER_BITS) {
		number = low_bits(number >> value->bit_offset, bits);
		if (own && own[0] == 's' && number >> (bits - 1))
			number |= ~low_bits(-1ULL, bits);
	}
	if (number_type(type, &bits) == 's')
		return xasprintf("\\%lld:%s", (long long)number, type);
	if (number_type(type, &bits))
		number = low_bits(number, bits);
	return xasprintf("\\%llu:%s", (unsigned long long)number, type);
}

/* The tracer can extract only unsigned numbers from a larger value. */
static struct error *check_bits(const struct value *value, const char *own,
				const char *expression, const char *type,
				u64 *bits)
{
	const char *what = value->field ? "a bit field" : "a part of a register";
	u64 asked;
	char kind;

	*bits = value->bits;
	if (!type) {
		if (own[0] != 's' && own[0] != 'f')
			return NULL;
		return error_new(STATUS_REFUSED,
				 "%s is a %s number in %s, of which the tracer takes unsigned numbers only; write %s:u%llu for its bits",
				 expression,
				 own[0] == 's' ? "signed" : "floating-point",
				 what, expression,
				 strtoull(own + 1, NULL, 10));
	}
	kind = number_type(type, &asked);
	if (kind != 'u' && kind != 'x')
		return error_new(STATUS_REFUSED,
				 "%s is %s, of which the tracer takes unsigned numbers only; write a type like u32 instead of %s",
				 expression, what, type);
	if (value->field && asked < value->bits)
		return error_new(STATUS_REFUSED,
				 "%s has %llu bits, which are more than %s takes; write %s:u64",
				 expression, (unsigned long long)value->bits,
				 type, expression);
	if (!value->field)
		*bits = asked;
	return NULL;
}

static struct error *bits_fetch(const struct value *value, const char *place,
				const char *own, const char *expression,
				const char *type, char **fetch)
{
	struct error *err;
	u64 bits;

	err = check_bits(value, own, expression, type, &bits);
	if (err)
		return err;
	if (value->bit_offset + bits > REGISTER_BITS)
		return error_new(STATUS_REFUSED,
				 "%s ends outside of the %u bits that can be fetched at once%s",
				 expression, REGISTER_BITS,
				 type ? "; write a narrower type" : "");
	*fetch = xasprintf("%s:b%llu@%llu/%u", place, (unsigned long long)bits,
			   (unsigned long long)value->bit_offset,
			   REGISTER_BITS);
	return NULL;
}

/**
 * value_number_fetch() - convert a number to a fetch argument
 * @value: the value; changed
 * @expression: its name, for messages
 * @type: the requested type, or NULL for the value's own type
 * @fetch: set on success to FETCH:TYPE, from malloc()
 */
struct error *value_number_fetch(struct value *value, const char *expression,
				 const char *type, char **fetch)
{
	const char *own = value->typed ? type_for_tracer(&value->type) : NULL;
	struct location *location = &value->location;
	struct error *err = NULL;
	u64 size, asked;
	char *place;

	if (!own && (!type || value->field))
		return not_a_number(value, expression);
	if (location->where == WHERE_PIECES && value->typed &&
	    type_size(&value->type, &size)) {
		/* Of a value larger than the requested type, take only the requested bytes. */
		if (!own && number_type(type, &asked) && asked / 8 < size)
			size = asked / 8;
		err = value_part(value, 0, size, expression);
	}
	if (err)
		return err;
	if (location->where == WHERE_VALUE && !location->base) {
		*fetch = constant_fetch(value, own, type ? type : own);
		return NULL;
	}
	if (location->where == WHERE_PIECES)
		return value_scattered(value, expression);
	place = value_plain_fetch(location);
	if (!place)
		return error_new(STATUS_REFUSED,
				 "%s cannot be fetched: its value is computed where it is used",
				 expression);
	if (value->field || value->bit_offset)
		err = bits_fetch(value, place, own, expression, type, fetch);
	else
		*fetch = xasprintf("%s:%s", place, type ? type : own);
	free(place);
	return err;
}
