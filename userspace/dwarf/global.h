/* SPDX-License-Identifier: GPL-2.0 */
/* Variables that belong to no function. */
#ifndef _USERSPACE_GLOBAL_H
#define _USERSPACE_GLOBAL_H

#include <stdbool.h>

#include "location.h"

struct error;

struct error *global_find(const struct frame *frame, const Dwarf_Die *around,
			  const char *name, Dwarf_Die *variable, bool *found);

#endif /* _USERSPACE_GLOBAL_H */
