/* SPDX-License-Identifier: GPL-2.0 */
/* Arguments of a probe, from the user's form to the tracer's form. */
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
 * struct arguments - what to fetch at places
 * @text: the arguments as the user wrote them
 * @returned: the function returns at the places, or has returned
 * @values: fetch the returned values, although @text does not ask for them
 * @untyped: take the returned value for a number, as without debug information
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
