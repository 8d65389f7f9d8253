/* SPDX-License-Identifier: GPL-2.0 */
/* Variables and parameters by their names in the source code. */
#ifndef _USERSPACE_VARIABLE_H
#define _USERSPACE_VARIABLE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

struct error;
struct scope;

struct error *variable_fetch(const struct scope *scope, const char *expression,
			     const char *type, char **fetch,
			     Dwarf_Die *enumeration);
char *variable_default_name(const char *expression);
bool is_variable_expression(const char *word);
bool is_result_expression(const char *word, size_t len);

#endif /* _USERSPACE_VARIABLE_H */
