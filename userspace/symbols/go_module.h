/* SPDX-License-Identifier: GPL-2.0 */
/* The module data, in which the runtime of a Go program describes its code. */
#ifndef _USERSPACE_GO_MODULE_H
#define _USERSPACE_GO_MODULE_H

#include <stdbool.h>

#include "elf/elf_image.h"
#include "types.h"

/**
 * struct go_extent - the range of addresses in a function table
 * @table: address of the table
 * @ptr: size of a pointer
 * @first: start of the first function, relative to the start of the text
 * @last: end of the last function, relative to the start of the text
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
