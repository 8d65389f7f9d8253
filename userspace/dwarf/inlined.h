/* SPDX-License-Identifier: GPL-2.0 */
/* Copies of functions that the compiler put into their callers. */
#ifndef _USERSPACE_INLINED_H
#define _USERSPACE_INLINED_H

#include <stddef.h>

#include "debug_info.h"
#include "types.h"

/**
 * struct inlined_copy - one copy
 * @addr: its start, in terms of the program headers; not always inside the
 *	address ranges in the description
 * @die: its description
 */
struct inlined_copy {
	u64 addr;
	Dwarf_Die die;
};

/**
 * struct inlined - the copies of one function
 * @v: the copies, lowest first
 * @n: number of @v
 * @cap: capacity of @v
 */
struct inlined {
	struct inlined_copy *v;
	size_t n;
	size_t cap;
};

typedef void inlined_callback(Dwarf_Die *copy, Dwarf_Die *function, void *arg);

void inlined_find(const struct debug_info *info, const char *name,
		  const char *symbol, const char *file,
		  struct inlined *inlined);
void inlined_each(const struct debug_info *info, inlined_callback *each,
		  void *arg);
void inlined_free(struct inlined *inlined);

#endif /* _USERSPACE_INLINED_H */
