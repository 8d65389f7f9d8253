/* SPDX-License-Identifier: GPL-2.0 */
/* One place in the code of a target. */
#ifndef _USERSPACE_DWARF_CODE_PLACE_H
#define _USERSPACE_DWARF_CODE_PLACE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "types.h"

struct symbol;

/**
 * struct place - one place that can be probed
 * @addr: address, in terms of the file's program headers
 * @offset: position in the file
 * @in_memory: the place is in no file but in the vDSO of the given process, and
 *	@addr is its address there
 * @function: symbol of the function that contains the place; NULL if not known
 * @delta: distance from the function's start, if @function is set
 * @named: the user named @function, or an IFUNC that stands for it; names of
 *	variables are then those of @function, even if the code of another
 *	function was inlined at this place
 * @inlined: a copy of the wanted function starts here, inside @function
 * @copy: the description of that copy, if @inlined
 */
struct place {
	u64 addr;
	u64 offset;
	const struct symbol *function;
	u64 delta;
	bool in_memory;
	bool named;
	bool inlined;
	Dwarf_Die copy;
};

#endif /* _USERSPACE_DWARF_CODE_PLACE_H */
