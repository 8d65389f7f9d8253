/* SPDX-License-Identifier: GPL-2.0 */
/* Names of values in the source code. */
#ifndef _USERSPACE_ENUM_NAMES_H
#define _USERSPACE_ENUM_NAMES_H

#include <elfutils/libdw.h>
#include <stddef.h>

#include "types.h"

/**
 * struct enum_name - the name of a value of an argument
 * @argument: name of the argument
 * @value: the value
 * @size: size of the value in bytes
 * @name: its name in the source code
 */
struct enum_name {
	char *argument;
	s64 value;
	u64 size;
	char *name;
};

/**
 * struct enum_names - the names of values of an event
 * @v: the names
 * @n: number of @v
 * @cap: capacity of @v
 */
struct enum_names {
	struct enum_name *v;
	size_t n;
	size_t cap;
};

void enum_names_add(struct enum_names *names, const char *argument,
		    const Dwarf_Die *type);
const char *enum_names_find(const struct enum_names *names,
			    const char *argument, size_t argument_len,
			    const char *text, size_t len);
void enum_names_free(struct enum_names *names);

#endif /* _USERSPACE_ENUM_NAMES_H */
