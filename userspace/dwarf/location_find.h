/* SPDX-License-Identifier: GPL-2.0 */
/* Find the location of a variable at an instruction. */
#ifndef _USERSPACE_LOCATION_FIND_H
#define _USERSPACE_LOCATION_FIND_H

#include "location.h"

const char *location_find(const struct frame *frame, Dwarf_Die *variable,
			  struct location *location);

#endif /* _USERSPACE_LOCATION_FIND_H */
