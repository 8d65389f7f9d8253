/* SPDX-License-Identifier: GPL-2.0 */
/* Arguments that a user writes, as the tracer takes them. */
#ifndef _USERSPACE_ARGUMENTS_H
#define _USERSPACE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct fields;
struct place;
struct target;

bool arguments_have_names(const char *args);
bool arguments_have_registers(const char *args);
void arguments_fields(const char *args, struct fields *fields);
struct error *arguments_at(struct target *target, const struct place *place,
			   const char *args, char **out);
struct error *arguments_unify(const char *args, char **texts, size_t n);

#endif /* _USERSPACE_ARGUMENTS_H */
