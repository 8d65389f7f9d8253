/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols as people write and read them. */
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
