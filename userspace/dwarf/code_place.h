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
 * @addr: address, as the file's program headers count
 * @offset: position in the file
 * @in_memory: it is in no file, but in the vDSO of the process that was named,
 *	and @addr is where it is there
 * @function: symbol of the function that it lies in; NULL if not known
 * @delta: distance from the function's start, if @function is set
 * @named: it was asked for by the name of @function, or of an IFUNC that stands
 *	for it, so that names of variables are those of the function, even where
 *	the code of another one was inlined into it
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
