/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of an event, as its filter sees them. */
#ifndef _USERSPACE_FIELDS_H
#define _USERSPACE_FIELDS_H

#include <stddef.h>

#include "types.h"

/**
 * enum field_kind - what a filter can compare a field with
 * @FIELD_UNSIGNED: whole numbers, from 0 on
 * @FIELD_SIGNED: whole numbers
 * @FIELD_FLOAT: decimal numbers
 * @FIELD_CHAR: whole numbers; the field is shown as a character
 * @FIELD_STRING: text
 */
enum field_kind {
	FIELD_UNSIGNED,
	FIELD_SIGNED,
	FIELD_FLOAT,
	FIELD_CHAR,
	FIELD_STRING,
};

/**
 * struct field - a field
 * @name: its name
 * @kind: its kind
 * @count: number of elements of an array, else 0
 */
struct field {
	char *name;
	enum field_kind kind;
	u64 count;
};

/**
 * struct fields - the fields of an event
 * @v: the fields
 * @n: number of @v
 * @cap: capacity of @v
 */
struct fields {
	struct field *v;
	size_t n;
	size_t cap;
};

void fields_add(struct fields *fields, const char *name, const char *type);
void fields_free(struct fields *fields);

#endif /* _USERSPACE_FIELDS_H */
