/* SPDX-License-Identifier: GPL-2.0 */
/* Arguments that a user writes, as the tracer takes them. */
#ifndef _USERSPACE_ARGUMENTS_H
#define _USERSPACE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

struct enum_names;
struct error;
struct fields;
struct place;
struct target;

/**
 * struct arguments - what is asked for at places
 * @text: arguments as they were written
 * @returned: the function returns there, or has returned
 * @values: what it returns is wanted, although nobody has asked for it
 * @untyped: what it returns is a number, as without debug information
 */
struct arguments {
	const char *text;
	bool returned;
	bool values;
	bool untyped;
};

bool arguments_have_names(const char *args);
bool arguments_have_registers(const char *args);
void arguments_fields(const char *args, struct fields *fields);
struct error *arguments_unify(const char *args, char **texts, size_t n);

#endif /* _USERSPACE_ARGUMENTS_H */
