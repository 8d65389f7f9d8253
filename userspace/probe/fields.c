// SPDX-License-Identifier: GPL-2.0
#include "fields.h"

#include <stdlib.h>
#include <string.h>

#include "util/util.h"

static enum field_kind kind_of(const char *type)
{
	static const struct {
		const char *name;
		enum field_kind kind;
	} kinds[] = {
		{ "string", FIELD_STRING }, { "ustring", FIELD_STRING },
		{ "symstr", FIELD_STRING },
		{ "string16", FIELD_STRING }, { "string32", FIELD_STRING },
		{ "f32", FIELD_FLOAT }, { "f64", FIELD_FLOAT },
		{ "char", FIELD_CHAR },
		{ "s8", FIELD_SIGNED }, { "s16", FIELD_SIGNED },
		{ "s32", FIELD_SIGNED }, { "s64", FIELD_SIGNED },
	};
	size_t len = strcspn(type, "[(");

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].name) == len &&
		    !strncmp(type, kinds[i].name, len))
			return kinds[i].kind;
	return FIELD_UNSIGNED;
}

/**
 * fields_add() - add a field
 * @fields: all zero before the first one
 * @name: its name
 * @type: the tracer's name of its type
 */
void fields_add(struct fields *fields, const char *name, const char *type)
{
	const char *bracket = strchr(type, '[');
	struct field *field;

	fields->v = grow(fields->v, fields->n, &fields->cap,
			 sizeof(*fields->v));
	field = &fields->v[fields->n++];
	field->name = xstrdup(name);
	field->kind = kind_of(type);
	field->count = bracket ? strtoull(bracket + 1, NULL, 0) : 0;
}

void fields_free(struct fields *fields)
{
	for (size_t i = 0; i < fields->n; i++)
		free(fields->v[i].name);
	free(fields->v);
	memset(fields, 0, sizeof(*fields));
}
