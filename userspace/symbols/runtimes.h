/* SPDX-License-Identifier: GPL-2.0 */
/* Programs whose runtime reads the return addresses on their stacks. */
#ifndef _USERSPACE_RUNTIMES_H
#define _USERSPACE_RUNTIMES_H

#include "elf/elf_image.h"

/**
 * struct runtime - a runtime, and how to recognize it in a file
 * @is: the kind of the file, for messages
 * @why: why replaced return addresses are dangerous, for messages
 * @symbol: a symbol that a file with this runtime defines, or NULL
 * @safe: prefixes of the names of functions whose return addresses may be replaced, or NULL
 */
struct runtime {
	const char *is;
	const char *why;
	const char *symbol;
	const char *const *safe;
};

const struct runtime *runtime_of(const struct elf_image *img);
bool runtime_needs_ret_addr(const struct runtime *runtime, const char *function);

#endif /* _USERSPACE_RUNTIMES_H */
