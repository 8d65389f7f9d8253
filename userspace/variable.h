/* SPDX-License-Identifier: GPL-2.0 */
/* Variables and parameters by the names that the source code gives them. */
#ifndef _USERSPACE_VARIABLE_H
#define _USERSPACE_VARIABLE_H

#include <stdbool.h>

struct error;
struct scope;

struct error *variable_fetch(const struct scope *scope, const char *expression,
			     const char *type, char **fetch);
char *variable_default_name(const char *expression);
bool is_variable_expression(const char *word);

#endif /* _USERSPACE_VARIABLE_H */
