/* SPDX-License-Identifier: GPL-2.0 */
/* The locations of parameters while a function's first instructions store them. */
#ifndef _USERSPACE_LOCATION_ENTRY_H
#define _USERSPACE_LOCATION_ENTRY_H

#include "location.h"

const char *location_at_entry(const struct frame *frame, Dwarf_Die *variable,
			      Dwarf_Attribute *attr, const Dwarf_Op *ops,
			      size_t n, struct location *location);

#endif /* _USERSPACE_LOCATION_ENTRY_H */
