/* SPDX-License-Identifier: GPL-2.0 */
/* Symbol names in the form that users write and read. */
#ifndef _USERSPACE_NAMES_H
#define _USERSPACE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "demangle.h"

struct symbol;

bool demangles_to(const char *symbol, size_t len, const char *squeezed,
		  enum demangle_form form);
char *symbol_label(const struct symbol *sym);

#endif /* _USERSPACE_NAMES_H */
