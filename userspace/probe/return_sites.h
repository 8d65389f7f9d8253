/* SPDX-License-Identifier: GPL-2.0 */
/* The instructions that leave a function. */
#ifndef _USERSPACE_RETURN_SITES_H
#define _USERSPACE_RETURN_SITES_H

#include "place.h"
#include "symbols/symbols.h"

struct error;

/**
 * struct exits - the instructions that leave a function
 * @returns: its return instructions
 * @tail_calls: jumps to other functions, whose results become its own
 * @unclear: number of jumps that may leave it: conditional jumps, and jumps
 *	through a register or memory
 */
struct exits {
	struct places returns;
	struct places tail_calls;
	size_t unclear;
};

struct error *exits_find(struct symbols *syms, const struct place *function,
			 struct exits *exits);
bool exits_only_returns(struct symbols *syms, const struct symbol *function, u64 addr,
			struct exits *exits);
void exits_free(struct exits *exits);

#endif /* _USERSPACE_RETURN_SITES_H */
