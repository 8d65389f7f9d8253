/* SPDX-License-Identifier: GPL-2.0 */
/* Programs whose runtime reads the return addresses on their stacks. */
#ifndef _USERSPACE_RUNTIMES_H
#define _USERSPACE_RUNTIMES_H

#include "elf/elf_image.h"

/**
 * struct runtime - such a runtime, as a file shows that it has it
 * @is: what the file is
 * @why: what a replaced return address comes to there
 * @symbol: a symbol that the file defines then, or NULL
 * @safe: beginnings of the names of functions that it does not mind, or NULL
 */
struct runtime {
	const char *is;
	const char *why;
	const char *symbol;
	const char *const *safe;
};

const struct runtime *runtime_of(const struct elf_image *img);
bool runtime_minds(const struct runtime *runtime, const char *function);

#endif /* _USERSPACE_RUNTIMES_H */
