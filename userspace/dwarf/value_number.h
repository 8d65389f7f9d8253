/* SPDX-License-Identifier: GPL-2.0 */
/* Convert numbers to fetch arguments. */
#ifndef _USERSPACE_VALUE_NUMBER_H
#define _USERSPACE_VALUE_NUMBER_H

#include "value.h"

char *value_plain_fetch(const struct location *location);
struct error *value_number_fetch(struct value *value, const char *expression,
				 const char *type, char **fetch);

#endif /* _USERSPACE_VALUE_NUMBER_H */
