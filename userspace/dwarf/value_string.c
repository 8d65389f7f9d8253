// SPDX-License-Identifier: GPL-2.0
/*
 * Fetch text in the forms of several languages.  In C, text ends at a NUL.  Other
 * languages keep its length beside the pointer:
 *
 *	Go		string { str, len }, []byte { array, len }
 *	Rust		&str { data_ptr, length }, String { vec { buf { ... }, len } }
 *	libstdc++	string { _M_dataplus { _M_p }, _M_string_length },
 *			string_view { _M_str, _M_len }
 *	libc++		string_view { __data_, __size_ }
 */
#include "value_string.h"
#include "value.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_type.h"
#include "util/error.h"
#include "util/util.h"
#include "value_number.h"

/* Nested members, and typedefs of typedefs; a limit on hostile files. */
#define NESTING_MAX 16

/* Constants longer than this are not accepted as arguments. */
#define TEXT_MAX 200

/* Members with the start of the text, and with its number of characters. */
static const struct {
	const char *start;
	const char *length;
} layouts[] = {
	{ "str", "len" }, { "array", "len" },
	{ "data_ptr", "length" }, { "vec.buf", "vec.len" }, { "buf", "len" },
	{ "_M_dataplus._M_p", "_M_string_length" }, { "_M_str", "_M_len" },
	{ "__data_", "__size_" }, { "__data", "__size" },
};

/* Prefixes of the names of types that are nothing but text. */
static const char *const texts[] = {
	"basic_string<", "basic_string_view<", "&str", "&mut str",
	"alloc::boxed::Box<str", "Box<str",
};

/** value_is_string_type() - check whether a type of a fetch argument stands for text */
bool value_is_string_type(const char *type)
{
	return str_starts(type, "string") || str_starts(type, "ustring");
}

static int language(Dwarf_Die *die)
{
	Dwarf_Die unit;

	return dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : 0;
}

/* Check whether a type is nothing but text. */
static bool is_text(Dwarf_Die *type)
{
	const char *name = die_name(type);

	if (!name || !type_has_members(type))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (str_starts(name, texts[i]))
			return true;
	return (!strcmp(name, "string") && language(type) == DW_LANG_Go) ||
	       (!strcmp(name, "String") && language(type) == DW_LANG_Rust);
}

static void copy_value(struct value *to, const struct value *from)
{
	*to = *from;
	location_copy(&to->location, &from->location);
}

static struct error *go_path(struct value *value, const char *path,
			     const char *what)
{
	struct error *err = NULL;

	while (*path && !err) {
		size_t len = strcspn(path, ".");

		err = value_member(value, path, len, what);
		path += len + (path[len] == '.');
	}
	return err;
}

static bool has_path(const struct value *value, const char *path)
{
	Dwarf_Die type = value->type;
	struct member member;

	while (*path) {
		size_t len = strcspn(path, ".");

		if (!type_has_members(&type) ||
		    !type_member(&type, path, len, &member))
			return false;
		type = member.type;
		path += len + (path[len] == '.');
	}
	return true;
}

/* Unwrap a pointer of Rust; the number of wrappers depends on the version of Rust. */
static struct error *unwrap(struct value *value, const char *what)
{
	static const char *const wraps[] = { "inner", "ptr", "pointer" };
	struct error *err = NULL;

	for (int n = 0; n < NESTING_MAX && !err; n++) {
		size_t i = 0;

		if (!type_has_members(&value->type))
			break;
		while (i < ARRAY_SIZE(wraps) && !has_path(value, wraps[i]))
			i++;
		if (i == ARRAY_SIZE(wraps))
			break;
		err = value_member(value, wraps[i], strlen(wraps[i]), what);
	}
	return err;
}

/* Return the size of a character of this type; the names of its typedefs count, too. */
static unsigned int character_size(Dwarf_Die *type)
{
	static const char *const names[] = { "wchar_t", "char16_t", "char32_t" };
	Dwarf_Die at = *type, next;
	Dwarf_Attribute attr;
	bool wide = false;
	u64 size;

	for (int n = 0; n < NESTING_MAX; n++) {
		const char *name = die_name(&at);

		for (size_t i = 0; name && i < ARRAY_SIZE(names); i++)
			wide |= !strcmp(name, names[i]);
		wide |= type_encoding(&at) == DW_ATE_UTF;
		if (dwarf_tag(&at) == DW_TAG_base_type ||
		    !dwarf_attr(&at, DW_AT_type, &attr) ||
		    !dwarf_formref_die(&attr, &next))
			break;
		at = next;
	}
	return wide && type_size(&at, &size) && (size == 2 || size == 4) ?
	       size : 1;
}

/* Return the size of the characters that a pointer points to, or that are in an array. */
static unsigned int element_size(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die element;

	if (!dwarf_attr_integrate(type, DW_AT_type, &attr) ||
	    !dwarf_formref_die(&attr, &element))
		return 1;
	return character_size(&element);
}

/* Return @type for characters of @unit bytes; add @length if @type has no length. */
static char *full_type(const char *type, unsigned int unit, const char *length)
{
	size_t name = strcspn(type, "([");
	bool plain = name == strlen("string") && unit > 1;
	bool counted = length && !type[name];

	return xasprintf("%.*s%s%s%s%s%s", (int)name, type,
			 !plain ? "" : unit == 2 ? "16" : "32", type + name,
			 counted ? "(" : "", counted ? length : "",
			 counted ? ")" : "");
}

/* Go from text with a length to its first character, and fetch the length. */
static struct error *take_counted(struct value *value, const char *expression,
				  size_t layout, char **length)
{
	struct error *err;
	struct value its;

	copy_value(&its, value);
	err = go_path(&its, layouts[layout].length, expression);
	if (!err)
		err = value_number_fetch(&its, expression, NULL, length);
	location_free(&its.location);
	if (!err)
		err = go_path(value, layouts[layout].start, expression);
	if (!err)
		err = unwrap(value, expression);
	return err;
}

static size_t find_layout(const struct value *value)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(layouts) && (!has_path(value, layouts[i].start) ||
					   !has_path(value, layouts[i].length)))
		i++;
	return i;
}

/* If the value is a reference or pointer to a structure, go to that structure. */
static struct error *refer(struct value *value, const char *expression)
{
	Dwarf_Die target;

	if (value->typed && type_is_pointer(&value->type) &&
	    type_target(&value->type, &target) && type_has_members(&target))
		return value_deref(value, expression);
	return NULL;
}

/* Read byte @at of a constant.  Return false after its end, and for a value that is no constant. */
static bool constant_byte(const struct value *value, u64 at, unsigned char *byte)
{
	const struct location *location = &value->location;
	u64 start = at + value->start, number;

	if (location->where == WHERE_VALUE && !location->base) {
		at += value->bit_offset / 8;
		if (at >= sizeof(number))
			return false;
		number = location->offset;
		*byte = number >> 8 * at;
		return true;
	}
	for (size_t i = 0; i < location->n; i++) {
		const struct location_piece *piece = &location->pieces[i];

		if (start < piece->start || start >= piece->start + piece->size)
			continue;
		if (piece->problem || piece->location.base ||
		    piece->location.where != WHERE_VALUE)
			return false;
		number = piece->location.offset;
		*byte = number >> 8 * (start - piece->start);
		return true;
	}
	return false;
}

/* Return a constant array in the tracer's syntax for text; NULL for other values. */
static char *constant_text(const struct value *value)
{
	Dwarf_Die type = value->type;
	char text[TEXT_MAX];
	unsigned char byte;
	size_t n = 0;
	u64 size;

	if (value->location.where == WHERE_MEMORY || !value->typed ||
	    dwarf_tag(&type) != DW_TAG_array_type || !type_size(&type, &size))
		return NULL;
	for (; n < size && n < TEXT_MAX; n++) {
		if (!constant_byte(value, n, &byte))
			return NULL;
		if (!byte)
			return xasprintf("\\\"%.*s\"", (int)n, text);
		if (byte < ' ' || byte > '~' || byte == '"')
			return NULL;
		text[n] = byte;
	}
	return NULL;
}

/**
 * value_is_text() - check whether a value is a string of its language
 * @value: the value
 */
bool value_is_text(const struct value *value)
{
	Dwarf_Die type = value->type, target;
	const char *name;

	if (!value->typed)
		return false;
	if (!type_is_pointer(&type))
		return is_text(&type);
	/* Pointers are fetched as numbers.  References of Rust have a name. */
	name = die_name(&type);
	return name && *name == '&' && type_target(&type, &target) &&
	       is_text(&target);
}

/**
 * value_string() - fetch the text that a value contains, or points to
 * @value: the value; changed
 * @expression: its name, for messages
 * @type: string or the like, perhaps with a length
 * @fetch: set on success to FETCH:TYPE, from malloc()
 */
struct error *value_string(struct value *value, const char *expression,
			   const char *type, char **fetch)
{
	char *length = NULL, *place, *full;
	unsigned int unit = 1;
	struct error *err;
	size_t layout;

	err = refer(value, expression);
	layout = !err && value->typed ? find_layout(value) : 0;
	if (!err && value->typed && type_has_members(&value->type)) {
		if (layout < ARRAY_SIZE(layouts))
			err = take_counted(value, expression, layout, &length);
		else if (has_path(value, "str"))
			err = value_member(value, "str", 3, expression);
		else if (has_path(value, "_M_dataplus._M_p"))
			err = go_path(value, "_M_dataplus._M_p", expression);
	}
	if (!err && value->typed)
		unit = element_size(&value->type);
	if (!err && value->typed && dwarf_tag(&value->type) != DW_TAG_array_type)
		err = value_deref(value, expression);
	if (err) {
		free(length);
		return err;
	}
	place = value->location.where == WHERE_MEMORY ?
		value_plain_fetch(&value->location) :
		unit == 1 ? constant_text(value) : NULL;
	if (!place)
		err = error_new(STATUS_REFUSED,
				"%s is no string in memory; fetch it without :%s",
				expression, type);
	full = full_type(type, unit, length);
	if (!err)
		*fetch = xasprintf("%s:%s", place, full);
	free(full);
	free(place);
	free(length);
	return err;
}
