/* SPDX-License-Identifier: GPL-2.0 */
/* What the runtime of a Go program knows about its code. */
#ifndef _USERSPACE_GO_MODULE_H
#define _USERSPACE_GO_MODULE_H

#include <stdbool.h>

#include "elf/elf_image.h"
#include "types.h"

/**
 * struct go_extent - what a table of functions says of their addresses
 * @table: address of the table
 * @ptr: size of a pointer
 * @first: where the first function starts, counted from the text's start
 * @last: where the last one ends, counted the same way
 */
struct go_extent {
	u64 table;
	unsigned int ptr;
	u64 first;
	u64 last;
};

bool go_module_text(const struct elf_image *img,
		    const struct go_extent *extent, u64 *text);

#endif /* _USERSPACE_GO_MODULE_H */
