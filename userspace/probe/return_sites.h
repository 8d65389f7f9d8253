/* SPDX-License-Identifier: GPL-2.0 */
/* The instructions that leave a function. */
#ifndef _USERSPACE_RETURN_SITES_H
#define _USERSPACE_RETURN_SITES_H

#include "epilogue.h"
#include "place.h"
#include "symbols/symbols.h"

struct error;

/**
 * struct return_sites - the instructions that leave a function
 * @returns: its return instructions
 * @tail_calls: jumps to other functions, whose results become its own
 * @unclear: number of jumps that may leave it: conditional jumps, and jumps
 *	through a register or memory
 * @epilogues: what is in front of @returns, in 64-bit code
 */
struct return_sites {
	struct places returns;
	struct places tail_calls;
	size_t unclear;
	struct epilogues epilogues;
};

struct error *return_sites_find(struct symbols *syms, const struct place *function,
				struct return_sites *exits);
bool return_sites_only(struct symbols *syms, const struct symbol *function, u64 addr,
		       struct return_sites *exits);
void return_sites_free(struct return_sites *exits);

#endif /* _USERSPACE_RETURN_SITES_H */
