/* SPDX-License-Identifier: GPL-2.0 */
/* Where an imported function is defined. */
#ifndef _USERSPACE_IMPORT_H
#define _USERSPACE_IMPORT_H

#include "symbols.h"

char *import_find_definer(const struct symbols *syms, const struct symbol *sym);

#endif /* _USERSPACE_IMPORT_H */
