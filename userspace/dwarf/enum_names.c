// SPDX-License-Identifier: GPL-2.0
#include "enum_names.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug_info.h"
#include "dwarf_type.h"
#include "location.h"
#include "util/util.h"

/* More names than any type in a real program has; a limit on hostile files. */
#define NAMES_MAX 10000

/* Accept only names with which a line of a trace can still be parsed. */
static bool is_plain(const char *name)
{
	const char *p = name;

	if (isdigit((unsigned char)*p))
		return false;
	while (isalnum((unsigned char)*p) || *p == '_' || *p == ':')
		p++;
	return p > name && !*p;
}

static void add(struct enum_names *names, const char *argument, s64 value,
		u64 size, const char *name)
{
	struct enum_name *v;

	names->v = grow(names->v, names->n, &names->cap, sizeof(*names->v));
	v = &names->v[names->n++];
	v->argument = xstrdup(argument);
	v->value = value;
	v->size = size;
	v->name = xstrdup(name);
}

static bool knows(const struct enum_names *names, const char *argument)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i].argument, argument))
			return true;
	return false;
}

/**
 * enum_names_add() - add the names of an argument's values
 * @names: all zero before the first call
 * @argument: name of the argument; if it is already known, nothing is added
 * @type: type of the argument, an enumeration
 */
void enum_names_add(struct enum_names *names, const char *argument,
		    const Dwarf_Die *type)
{
	Dwarf_Die parent = *type, child;
	Dwarf_Attribute attr;
	size_t n = 0;
	u64 size;
	s64 value;

	if (knows(names, argument) || !type_size(&parent, &size) ||
	    dwarf_child(&parent, &child))
		return;
	do {
		const char *name = die_name(&child);

		if (dwarf_tag(&child) == DW_TAG_enumerator && name &&
		    is_plain(name) &&
		    dwarf_attr(&child, DW_AT_const_value, &attr) &&
		    location_constant(&attr, &value))
			add(names, argument, value, size, name);
	} while (++n < NAMES_MAX && !dwarf_siblingof(&child, &child));
}

/*
 * Check whether the tracer prints a value as @text.  Compare only the bytes of the value,
 * because not all descriptions tell whether it is signed.
 */
static bool is_same(const struct enum_name *v, const char *text, size_t len)
{
	unsigned int unused = v->size < 8 ? 64 - 8 * v->size : 0;
	char number[24], *end;
	u64 printed;

	if (!len || len >= sizeof(number))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	printed = *number == '-' ? (u64)strtoll(number, &end, 10) :
				   strtoull(number, &end, 10);
	return !*end && printed << unused == (u64)v->value << unused;
}

/**
 * enum_names_find() - look up the name of a value
 * @names: the known names
 * @argument: name of the argument, @argument_len bytes of it
 * @argument_len: see @argument
 * @text: the value as the tracer prints it, @len bytes of it
 * @len: see @text
 *
 * Return: the name, valid until enum_names_free(); NULL for other values.
 */
const char *enum_names_find(const struct enum_names *names,
			    const char *argument, size_t argument_len,
			    const char *text, size_t len)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct enum_name *v = &names->v[i];

		if (strlen(v->argument) == argument_len &&
		    !strncmp(v->argument, argument, argument_len) &&
		    is_same(v, text, len))
			return v->name;
	}
	return NULL;
}

void enum_names_free(struct enum_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(names->v[i].argument);
		free(names->v[i].name);
	}
	free(names->v);
	memset(names, 0, sizeof(*names));
}
