/* SPDX-License-Identifier: GPL-2.0 */
/* The blocks of source code that contain an instruction. */
#ifndef _USERSPACE_BLOCKS_H
#define _USERSPACE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "debug_info.h"
#include "types.h"

/**
 * struct blocks - the blocks around an instruction
 * @v: descriptions, innermost first: of blocks, of functions (inlined functions,
 *	too), and of the namespaces and types that contain the functions
 * @n: number of @v
 * @cap: capacity of @v
 */
struct blocks {
	Dwarf_Die *v;
	size_t n;
	size_t cap;
};

bool blocks_find(const struct debug_info *info, u64 addr,
		 struct blocks *blocks);
bool is_function_block(Dwarf_Die *block);
bool can_have_code(int tag);
void blocks_free(struct blocks *blocks);

#endif /* _USERSPACE_BLOCKS_H */
