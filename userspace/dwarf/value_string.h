/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fetch text in the forms of several languages.
 */
#ifndef _USERSPACE_VALUE_STRING_H
#define _USERSPACE_VALUE_STRING_H

#include "value.h"

bool value_is_string_type(const char *type);
bool value_is_text(const struct value *value);
struct error *value_string(struct value *value, const char *expression,
			   const char *type, char **fetch);

#endif /* _USERSPACE_VALUE_STRING_H */
