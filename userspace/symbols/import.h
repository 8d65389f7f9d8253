/* SPDX-License-Identifier: GPL-2.0 */
/* Find the library that defines an imported function. */
#ifndef _USERSPACE_IMPORT_H
#define _USERSPACE_IMPORT_H

#include "symbols.h"

char *import_find_definer(const struct symbols *syms, const struct symbol *sym);

#endif /* _USERSPACE_IMPORT_H */
