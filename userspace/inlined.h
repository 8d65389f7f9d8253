/* SPDX-License-Identifier: GPL-2.0 */
/* Copies of functions that the compiler put into their callers. */
#ifndef _USERSPACE_INLINED_H
#define _USERSPACE_INLINED_H

#include <stddef.h>

#include "debug_info.h"
#include "types.h"

/**
 * struct inlined - the copies of one function
 * @addrs: where each starts, as the program headers count
 * @n: number of @addrs
 * @cap: capacity of @addrs
 */
struct inlined {
	u64 *addrs;
	size_t n;
	size_t cap;
};

void inlined_find(const struct debug_info *info, const char *name,
		  const char *symbol, const char *file,
		  struct inlined *inlined);
void inlined_each(const struct debug_info *info,
		  void (*each)(Dwarf_Die *function, u64 addr, void *arg),
		  void *arg);
void inlined_free(struct inlined *inlined);

#endif /* _USERSPACE_INLINED_H */
