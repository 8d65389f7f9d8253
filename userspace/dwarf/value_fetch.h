/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Convert the value of a variable to a fetch argument.
 */
#ifndef _USERSPACE_VALUE_FETCH_H
#define _USERSPACE_VALUE_FETCH_H

#include "value.h"

struct error *value_fetch(struct value *value, const char *expression,
			  const char *type, char **fetch);

#endif /* _USERSPACE_VALUE_FETCH_H */
